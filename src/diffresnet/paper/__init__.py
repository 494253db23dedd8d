"""The experiments of the paper: its settings, and one module a table or figure."""
