------------------------------- MODULE Align --------------------------------
(***************************************************************************)
(* Step 3: the checkpoints of an instance.  Semantics: section 5, step 3.  *)
(***************************************************************************)
EXTENDS History

\* The checkpoints that have the instance among their owners, latest saved first.
\* core: align.aligned
Aligned(i) ==
    LET ids == Reverse(Get(saved, i, << >>))
    IN [p \in DOMAIN ids |-> checkpoints[ids[p]]]
=============================================================================
