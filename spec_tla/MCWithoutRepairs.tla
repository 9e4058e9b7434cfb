-------------------------- MODULE MCWithoutRepairs --------------------------
(* Must fail: the act in doubt is left standing. *)
EXTENDS MCSuspects
=============================================================================
