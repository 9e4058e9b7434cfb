------------------------- MODULE MCControllerLegal -------------------------
(* Must fail: a runtime that restores whatever its controller can restore. *)
EXTENDS MCDependencies
=============================================================================
