----------------------------- MODULE MCEffects ------------------------------
(* Effects of every class, and one that the policy does not list; no compensation. *)
EXTENDS MC

f == Instance("f", "e", 1)

SliceContract ==
    ContractOf(
        "f" :> [Plain EXCEPT !.effects =
            "note" :> "reversible" @@ "put" :> "idempotent" @@ "book" :> "compensable"])

Compensating == [SliceContract EXCEPT !.compensate = TRUE]

SliceIds == <<"c1", "c2">>

SliceMenu ==
    [enter |-> {Step(f)},
     act |-> {Doing(f, Null, Null, {}, {}, effects) :
                 effects \in {{"note", "put"}, {"book"}, {"pay"}}},
     commit |-> {Step(f)},
     exit |-> {},
     save |-> {Saving(id, f, "instance", TRUE) : id \in Range(SliceIds)},
     fail |-> {Failing(f)}]

SliceBounds == [log |-> f :> 4, attempts |-> 2, pending |-> 1, epochs |-> 1]
=============================================================================
