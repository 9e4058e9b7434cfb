"""Navigation: contract, controller, rows and tools."""
