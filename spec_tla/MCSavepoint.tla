---------------------------- MODULE MCSavepoint ----------------------------
(* Must fail: a runtime that restores the last commit, true or false. *)
EXTENDS MCHandoffs
=============================================================================
