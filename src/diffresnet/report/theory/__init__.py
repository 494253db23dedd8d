"""The page of `diffresnet theory`."""
