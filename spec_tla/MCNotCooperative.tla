-------------------------- MODULE MCNotCooperative --------------------------
(* Must fail: T8 where instances run concurrently. *)
EXTENDS MCDependencies
=============================================================================
