"""What every part of the package uses: checks, types, files, progress, words."""
