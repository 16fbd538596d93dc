"""The operator's and the developer's command, and the local stack."""
