"""Pictures and pages, from plain result objects."""
