"""Schedule-form: contract, controller, rows and tools."""
