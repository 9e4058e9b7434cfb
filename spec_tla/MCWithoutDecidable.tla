------------------------- MODULE MCWithoutDecidable -------------------------
(* Must fail: a checkpoint that may be another instance's is restored. *)
EXTENDS MCIdentity
=============================================================================
