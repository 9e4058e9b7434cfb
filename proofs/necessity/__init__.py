"""The smallest histories in which a runtime goes wrong that checks less than all guards."""
