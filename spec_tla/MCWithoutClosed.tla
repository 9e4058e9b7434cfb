-------------------------- MODULE MCWithoutClosed --------------------------
(* Must fail: a handoff is torn. *)
EXTENDS MCHandoffs
=============================================================================
