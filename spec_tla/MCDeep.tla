------------------------------- MODULE MCDeep -------------------------------
(***************************************************************************)
(* All features together: readers, effects, partial tags, snapshots of the *)
(* task, false commits, acts in doubt, recurring failures and a rerun.     *)
(* More than ten million states, all of them, without symmetry or view.    *)
(***************************************************************************)
EXTENDS MC

f == Instance("f", "e", 1)
j == Instance("j", "e", 1)

out == <<"out-", "e">>

SliceContract ==
    ContractOf(
        "f" :> [Plain EXCEPT
                   !.commit = [states |-> {"ready"}, writes |-> Null],
                   !.effects = "note" :> "reversible"] @@
        "j" :> [Plain EXCEPT !.reads = {<<"out-", "{entity}">>}])

SliceIds == <<"c1", "c2">>

SliceMenu ==
    [enter |-> {Step(f), Step(j)},
     act |-> {Doing(f, Null, "ready", {}, {out}, {"note"}),
              Doing(f, "f1", "work", {}, {out}, {"send"}),
              Doing(j, Null, Null, Null, {}, {})},
     commit |-> {Step(f), Step(j)},
     exit |-> {Step(j)},
     save |-> {Saving("c1", f, "instance", TRUE), Saving("c2", f, "task", TRUE),
               Saving("c2", Instance(Null, "e", Null), "instance", TRUE)},
     fail |-> {Failing(f), Failing(Instance(Null, "e", 1)),
               [Failing(Unknown) EXCEPT !.suspect = "f1"]}]

SliceBounds ==
    [log |-> f :> 4 @@ j :> 3, attempts |-> 2, pending |-> 1, epochs |-> 2]
=============================================================================
