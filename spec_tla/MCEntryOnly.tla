---------------------------- MODULE MCEntryOnly ----------------------------
(* Must fail: a runtime that restores the failed instance's entry. *)
EXTENDS MCDependencies
=============================================================================
