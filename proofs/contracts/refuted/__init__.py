"""Wrong contracts that must be refuted, every one: what the gate has to be able to see."""
