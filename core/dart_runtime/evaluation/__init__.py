"""The evaluation: every row under every strategy, measured by what really ran."""
