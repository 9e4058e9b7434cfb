------------------------- MODULE MCExactEverywhere -------------------------
(* Must fail: exactness without its exception, at an exit that was falsely claimed. *)
EXTENDS MCHandoffs
=============================================================================
