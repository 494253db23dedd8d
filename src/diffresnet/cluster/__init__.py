"""The same job on several machines."""
