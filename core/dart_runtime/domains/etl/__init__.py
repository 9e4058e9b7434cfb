"""ETL: contract, controller, rows and tools."""
