"""What happens, in order. Flows ask ports and the domain; they return results and never speak."""
