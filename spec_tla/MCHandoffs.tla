----------------------------- MODULE MCHandoffs -----------------------------
(***************************************************************************)
(* Predicates: commits and exits that are claimed falsely, handoffs that   *)
(* would be torn, and policy that opens exits to one skeleton and nothing  *)
(* to the other.                                                           *)
(***************************************************************************)
EXTENDS MC

f == Instance("f", "e", 1)
g == Instance("g", "e", 1)

SliceContract ==
    ContractOf("f" :>
        [Plain EXCEPT
            !.commit = [states |-> {"ready"}, writes |-> Null],
            !.exit = [states |-> Null, writes |-> {<<"{entity}", "-out">>}],
            !.rollback_to = {"commit", "exit"}])

SliceIds == <<"c1", "c2">>

SliceMenu ==
    [enter |-> {Step(f), Step(g)},
     act |-> {Doing(f, Null, "work", {}, {<<"e", "-out">>}, {}),
              Doing(f, Null, "ready", {}, {<<"other">>}, {})},
     commit |-> {Step(f)},
     exit |-> {Step(f)},
     save |-> {Saving(id, f, "instance", TRUE) : id \in Range(SliceIds)} \cup
              {Saving("c1", g, "instance", TRUE)},
     fail |-> {Failing(f), Failing(g)}]

SliceBounds ==
    [log |-> f :> 5 @@ g :> 1, attempts |-> 2, pending |-> 1, epochs |-> 1]
=============================================================================
