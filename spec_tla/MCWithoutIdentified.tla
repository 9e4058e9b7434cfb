------------------------ MODULE MCWithoutIdentified ------------------------
(* Must fail: every candidate of a failure counts as the failed instance. *)
EXTENDS MCIdentity
=============================================================================
