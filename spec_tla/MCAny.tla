------------------------------- MODULE MCAny -------------------------------
(* Must fail: a runtime that restores anything that is there. *)
EXTENDS MCScope
=============================================================================
