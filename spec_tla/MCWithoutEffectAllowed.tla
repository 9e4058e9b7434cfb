----------------------- MODULE MCWithoutEffectAllowed -----------------------
(* Must fail: an effect that cannot be rolled back is erased. *)
EXTENDS MCEffects
=============================================================================
