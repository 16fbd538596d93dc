"""What is true: statuses, transitions, decisions. Imports the standard library only."""
