------------------------------- MODULE MCWide -------------------------------
(* MCRecurrence with room for a million states, small enough to compare the whole graph. *)
EXTENDS MCRecurrence

WideBounds == [SliceBounds EXCEPT !.log = f :> 4 @@ g :> 4, !.attempts = 5]
=============================================================================
