"""Travel: contract, controller, rows and tools."""
