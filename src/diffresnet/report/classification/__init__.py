"""The page of `diffresnet classify`."""
