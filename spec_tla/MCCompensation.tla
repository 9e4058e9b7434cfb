--------------------------- MODULE MCCompensation ---------------------------
(* The effects again, where the contract allows compensation. *)
EXTENDS MCEffects
=============================================================================
