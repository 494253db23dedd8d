"""The files that users bring and get: tables, arrays, links, labels, predictions."""
