"""Contracts on the definition's own functions, decided over all paths of a bounded shape."""
