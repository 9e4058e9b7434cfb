----------------------------- MODULE MCSuspects -----------------------------
(* Acts in doubt: the failure names one, which may be early, late, gone or another's. *)
EXTENDS MC

f == Instance("f", "e", 1)
g == Instance("g", "e", 1)

SliceContract == ContractOf("f" :> Plain @@ "g" :> Plain)

SliceIds == <<"c1", "c2">>

Suspecting(tag, id) == [Failing(tag) EXCEPT !.suspect = id]

SliceMenu ==
    [enter |-> {Step(f), Step(g)},
     act |-> {Doing(f, "f1", Null, {}, {<<"x">>}, {}),
              Doing(f, "f2", Null, {}, {}, {}),
              Doing(g, "g1", Null, {}, {}, {})},
     commit |-> {Step(f)},
     exit |-> {},
     save |-> {Saving(id, f, "instance", TRUE) : id \in Range(SliceIds)} \cup
              {Saving("c2", g, "instance", TRUE)},
     fail |-> {Suspecting(Unknown, "f1"), Suspecting(f, "f2"), Suspecting(f, "g1"),
               Suspecting(Unknown, "g1")}]

SliceBounds ==
    [log |-> f :> 4 @@ g :> 2, attempts |-> 2, pending |-> 1, epochs |-> 1]
=============================================================================
