--------------------------- MODULE MCCoarseState ---------------------------
(* Must fail: a runtime that restores snapshots of the whole task. *)
EXTENDS MCScope
=============================================================================
