------------------------- MODULE MCReachCommitSaves -------------------------
(* Must be reached: a commit checkpoint saves what an entry checkpoint would lose. *)
EXTENDS MCDependencies

NotReached == ~ReachCommitSaves
=============================================================================
