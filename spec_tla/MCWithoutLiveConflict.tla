----------------------- MODULE MCWithoutLiveConflict -----------------------
(* Must fail: a live reader commits later on what is gone. *)
EXTENDS MCDependencies
=============================================================================
