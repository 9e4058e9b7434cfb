--------------------- MODULE MCWithoutCommittedConflict ---------------------
(* Must fail: a committed reader is orphaned. *)
EXTENDS MCDependencies
=============================================================================
