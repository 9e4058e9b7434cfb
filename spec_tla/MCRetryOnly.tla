---------------------------- MODULE MCRetryOnly ----------------------------
(* A runtime that never restores is sound: it only reruns the task. *)
EXTENDS MCRerun
=============================================================================
