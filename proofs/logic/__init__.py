"""The unbounded proofs: the definitions in first-order logic, and what follows from them."""
