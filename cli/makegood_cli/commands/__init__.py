"""The verbs, one file for each group: they fetch, let a screen show, and say how it ended."""
