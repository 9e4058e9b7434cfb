--------------------- MODULE MCReachRestoreAfterRestore ---------------------
(* Must be reached: a restore after a restore. *)
EXTENDS MCRecurrence

NotReached == ~ReachRestoreAfterRestore
=============================================================================
