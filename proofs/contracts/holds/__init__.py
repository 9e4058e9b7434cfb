"""Contracts that must be confirmed over all paths, every one."""
