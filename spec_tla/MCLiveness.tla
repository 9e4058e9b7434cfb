----------------------------- MODULE MCLiveness -----------------------------
(* T7: every pending failure is eventually decided. *)
EXTENDS MCRecurrence

\* The bound on reruns bounds failures, not recoveries.
Recoverable == Len(failures') > Len(failures) => epoch < Bounds.epochs

LiveBounds ==
    [log |-> f :> 3 @@ g :> 2, attempts |-> 2, pending |-> 1, epochs |-> 2]
=============================================================================
