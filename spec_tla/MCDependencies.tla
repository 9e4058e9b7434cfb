--------------------------- MODULE MCDependencies ---------------------------
(* Committed and live readers: f writes, j reads and may commit; f fails. *)
EXTENDS MC

f == Instance("f", "e", 1)
j == Instance("j", "e", 1)

SliceContract ==
    ContractOf("f" :> Plain @@ "j" :> [Plain EXCEPT !.reads = {<<"out-", "{entity}">>}])

out == <<"out-", "e">>

SliceIds == <<"c1", "c2">>

SliceMenu ==
    [enter |-> {Step(f), Step(j)},
     act |-> {Doing(f, Null, Null, {}, {out}, {}),
              Doing(j, Null, Null, Null, {<<"side">>}, {})},
     commit |-> {Step(f), Step(j)},
     exit |-> {Step(j)},
     save |-> {Saving("c1", f, "instance", TRUE), Saving("c2", f, "instance", FALSE),
               Saving("c2", f, "instance", TRUE)},
     fail |-> {Failing(f)}]

SliceBounds ==
    [log |-> f :> 4 @@ j :> 3, attempts |-> 2, pending |-> 1, epochs |-> 1]
=============================================================================
