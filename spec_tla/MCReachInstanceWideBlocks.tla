--------------------- MODULE MCReachInstanceWideBlocks ---------------------
(* Must be reached: the instance-wide reading blocks what the procedure admits (T9). *)
EXTENDS MCDependencies

NotReached == ~ReachInstanceWideBlocks
=============================================================================
