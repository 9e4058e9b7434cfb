----------------------- MODULE MCWithoutControllable -----------------------
(* Must fail: a boundary that policy closes is used. *)
EXTENDS MCHandoffs
=============================================================================
