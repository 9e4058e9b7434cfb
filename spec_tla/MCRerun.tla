------------------------------ MODULE MCRerun -------------------------------
(***************************************************************************)
(* Reruns of the whole task, what the world remembers of the epochs        *)
(* before, and keys that come from outside.                                *)
(***************************************************************************)
EXTENDS MC

f == Instance("f", "e", 1)
g == Instance("g", "e", 1)

SliceContract ==
    [ContractOf(
        "f" :> [Plain EXCEPT !.effects = "note" :> "reversible" @@ "send" :> "irreversible"] @@
        "g" :> Plain) EXCEPT !.fallback = "escalate", !.external = {<<"form">>}]

SliceIds == <<"c1">>

SliceMenu ==
    [enter |-> {Step(f), Step(g)},
     act |-> {Doing(f, Null, Null, {<<"form">>}, {<<"x">>}, {"note"}),
              Doing(f, Null, Null, {}, {}, {"send"}),
              Doing(g, Null, Null, {<<"x">>}, {}, {})},
     commit |-> {Step(g)},
     exit |-> {},
     save |-> {Saving("c1", f, "instance", TRUE)},
     fail |-> {Failing(f), Failing(Unknown)}]

SliceBounds ==
    [log |-> f :> 2 @@ g :> 3, attempts |-> 2, pending |-> 1, epochs |-> 2]
=============================================================================
