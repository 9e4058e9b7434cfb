----------------------------- MODULE MCIdentity -----------------------------
(***************************************************************************)
(* Who failed, and whose the checkpoint is: two occurrences of one         *)
(* skeleton for one entity, a third instance, and all kinds of partial     *)
(* tags.  The truth behind each is hidden.                                 *)
(***************************************************************************)
EXTENDS MC

f1 == Instance("f", "a", 1)
f2 == Instance("f", "a", 2)
g == Instance("g", "b", 1)

SliceContract ==
    ContractOf(
        "f" :> [Plain EXCEPT !.states = {"busy"}, !.tools = "call" :> "who" @@ "look" :> Null] @@
        "g" :> [Plain EXCEPT !.tools = "call" :> "who"])

SliceIds == <<"c1">>

SliceMenu ==
    [enter |-> {Step(f1), Step(f2), Step(g)},
     act |-> {Doing(f1, Null, Null, {}, {<<"x">>}, {}), Doing(f2, Null, Null, {}, {<<"x">>}, {})},
     commit |-> {},
     exit |-> {Step(f1)},
     save |-> {Saving("c1", tag, "instance", TRUE) :
                  tag \in {f1, Instance("f", "a", Null), Instance(Null, Null, 1)}},
     fail |-> {Failing(f1), Failing(Instance("f", "a", Null)), Failing(Instance("f", Null, 2)),
               [Failing(Unknown) EXCEPT !.state = "busy"],
               [Failing(Unknown) EXCEPT !.tool = "look"],
               [Failing(Unknown) EXCEPT !.tool = "call", !.args = "who" :> "b"]}]

SliceBounds ==
    [log |-> f1 :> 2 @@ f2 :> 2 @@ g :> 1, attempts |-> 2, pending |-> 1, epochs |-> 1]
=============================================================================
