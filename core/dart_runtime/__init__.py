"""The sidecar: it observes a task, keeps its history durable, and guards its restores."""
