"""What people see. A screen gets facts and the console; it fetches nothing."""
