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
                   !.effects = "send" :> "irreversible"] @@
        "j" :> [Plain EXCEPT !.reads = {<<"out-", "{entity}">>}])

SliceIds == <<"c1", "c2">>

SliceMenu ==
    [enter |-> {Step(f), Step(j)},
     act |-> {Doing(f, Null, "ready", {}, {out}, {}),
              Doing(f, "f1", "work", {}, {out}, {"send"}),
              Doing(j, Null, Null, Null, {}, {})},
     commit |-> {Step(f), Step(j)},
     exit |-> {Step(f), Step(j)},
     save |-> {Saving("c1", f, "instance", TRUE), Saving("c1", f, "instance", FALSE),
               Saving("c2", f, "task", TRUE),
               Saving("c2", Instance(Null, "e", Null), "instance", TRUE)},
     fail |-> {Failing(f), Failing(j), Failing(Instance(Null, "e", 1)),
               [Failing(Unknown) EXCEPT !.suspect = "f1"]}]

SliceBounds ==
    [log |-> f :> 4 @@ j :> 3, attempts |-> 2, pending |-> 1, epochs |-> 2]

\* Next within the bounds.  TLC would also throw away what an action constraint forbids,
\* but only after it has made four times as many states.
DeepNext ==
    LET Room(e) == Len(LogOf(e.instance)) < Bounds.log[e.instance]
        Calm == Len(failures) < Bounds.pending
        free == {p \in DOMAIN SliceIds : SliceIds[p] \notin DOMAIN checkpoints}
        NextId(e) == free # {} /\ e.id = SliceIds[Min(free)]
    IN \/ \E e \in Menu.enter : Enter(e)
       \/ \E e \in Menu.act : Room(e) /\ Act(e)
       \/ \E e \in Menu.commit : Room(e) /\ Commit(e)
       \/ \E e \in Menu.exit : Room(e) /\ Exit(e)
       \/ \E e \in Menu.save : NextId(e) /\ Saves(e)
       \/ \E e \in Menu.fail : Calm /\ Fails(e)
       \/ \E id \in Range(CheckpointIds) : Restores(id)
       \/ epoch < Bounds.epochs /\ Rerun
=============================================================================
