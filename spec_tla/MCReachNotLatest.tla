-------------------------- MODULE MCReachNotLatest --------------------------
(* Must be reached: an admissible checkpoint that is not the latest one. *)
EXTENDS MCSuspects

NotReached == ~ReachNotLatest
=============================================================================
