------------------------------ MODULE MCScope -------------------------------
(* Snapshots of the whole task beside those of one instance. *)
EXTENDS MC

f == Instance("f", "e", 1)
g == Instance("g", "e", 1)

SliceContract == ContractOf("f" :> Plain @@ "g" :> Plain)

SliceIds == <<"c1", "c2">>

SliceMenu ==
    [enter |-> {Step(f), Step(g)},
     act |-> {Doing(f, Null, Null, {}, {<<"x">>}, {}),
              Doing(g, Null, Null, {<<"x">>}, {<<"x">>}, {})},
     commit |-> {Step(f)},
     exit |-> {},
     save |-> {Saving(id, f, "task", TRUE) : id \in Range(SliceIds)} \cup
              {Saving(id, Unknown, "task", TRUE) : id \in Range(SliceIds)},
     fail |-> {Failing(f)}]

SliceBounds ==
    [log |-> f :> 3 @@ g :> 3, attempts |-> 2, pending |-> 1, epochs |-> 1]
=============================================================================
