"""The studio: label by clicking, and watch labels spread."""
