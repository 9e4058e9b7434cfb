------------------------- MODULE MCWithoutSeparable -------------------------
(* Must fail: a snapshot of the task takes others back. *)
EXTENDS MCScope
=============================================================================
