------------------------------ MODULE MCUnfair ------------------------------
(* Must fail: a runtime that may leave a failure pending for ever. *)
EXTENDS MCLiveness
=============================================================================
