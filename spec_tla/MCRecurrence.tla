---------------------------- MODULE MCRecurrence ----------------------------
(* Failures that recur: two instances fail, one or both, again and again; g reads of f. *)
EXTENDS MC

f == Instance("f", "e", 1)
g == Instance("g", "e", 1)

SliceContract == ContractOf("f" :> Plain @@ "g" :> Plain)

SliceIds == <<"c1", "c2">>

SliceMenu ==
    [enter |-> {Step(f), Step(g)},
     act |-> {Doing(f, Null, Null, {}, {<<"x">>}, {}), Doing(g, Null, Null, {<<"x">>}, {}, {})},
     commit |-> {Step(f), Step(g)},
     exit |-> {},
     save |-> {Saving("c1", f, "instance", TRUE), Saving("c2", g, "instance", TRUE),
               Saving("c2", f, "instance", TRUE)},
     fail |-> {Failing(f), Failing(g)}]

SliceBounds ==
    [log |-> f :> 3 @@ g :> 3, attempts |-> 3, pending |-> 2, epochs |-> 1]
=============================================================================
