--------------------------------- MODULE SIM --------------------------------
(***************************************************************************)
(* A rich model for simulation: all features together, and room for long   *)
(* behaviours.  Each becomes a trace that the core judges.                 *)
(***************************************************************************)
EXTENDS MC

f1 == Instance("f", "a", 1)
f2 == Instance("f", "a", 2)
g == Instance("g", "a", 1)
h == Instance("h", "b", 1)   \* h is unreviewed

SliceContract ==
    [ContractOf(
        "f" :> [Plain EXCEPT
                   !.writes = {<<"{entity}", ".out">>},
                   !.states = {"work", "ready"},
                   !.tools = "call" :> "who",
                   !.commit = [states |-> {"ready"}, writes |-> Null],
                   !.effects = "note" :> "reversible" @@ "book" :> "compensable"] @@
        "g" :> [Plain EXCEPT
                   !.reads = {<<"{entity}", ".out">>},
                   !.states = {"work"},
                   !.tools = "call" :> Null,
                   !.exit = [states |-> Null, writes |-> {<<"sum">>}],
                   !.rollback_to = {"entry", "commit", "exit"}]) EXCEPT !.fallback = "escalate"]

SliceIds == <<"c1", "c2", "c3", "c4">>

out == <<"a", ".out">>

SliceMenu ==
    [enter |-> {Step(f1), Step(f2), Step(g), Step(h)},
     act |-> {Doing(f1, Null, "work", {}, {out}, {"note"}),
              Doing(f1, "w1", "ready", {}, {out}, {"book"}),
              Doing(f2, Null, "ready", {<<"sum">>}, {out}, {}),
              Doing(f2, Null, Null, {}, {<<"sum">>}, {"send"}),
              Doing(g, Null, "work", Null, {<<"sum">>}, {}),
              Doing(g, "r1", Null, Null, {}, {}),
              Doing(h, Null, Null, {out, <<"sum">>}, {<<"side">>}, {})},
     commit |-> {Step(f1), Step(f2), Step(g), Step(h)},
     exit |-> {Step(f1), Step(f2), Step(g), Step(h)},
     save |-> {Saving(id, tag, "instance", TRUE) :
                  id \in Range(SliceIds), tag \in {f1, g, Instance("f", "a", Null)}} \cup
              {Saving(id, f2, "task", TRUE) : id \in Range(SliceIds)} \cup
              {Saving("c2", f1, "instance", FALSE), Saving("c3", h, "instance", TRUE)},
     fail |-> {Failing(f1), Failing(g), Failing(Instance("f", "a", Null)),
               [Failing(Unknown) EXCEPT !.tool = "call", !.args = "who" :> "a"],
               [Failing(Unknown) EXCEPT !.suspect = "w1"]}]

SliceBounds ==
    [log |-> f1 :> 12 @@ f2 :> 8 @@ g :> 12 @@ h :> 8, attempts |-> 6, pending |-> 1,
     epochs |-> 4]

\* A step that an action constraint forbids would end the behaviour: here it is never
\* chosen.  While something can be restored there is no rerun, and nothing fails before
\* there is something to restore; so behaviours are long.
SimNext ==
    /\ Next
    /\ Within
    /\ Permitted # {} => epoch' = epoch
    /\ failures' # failures /\ failures' # << >> => Cardinality(DOMAIN checkpoints) > 1
=============================================================================
