"""Diagnosis: contract, controller, rows and tools."""
