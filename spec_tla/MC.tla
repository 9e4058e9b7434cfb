--------------------------------- MODULE MC ---------------------------------
(***************************************************************************)
(* What all models share: bounds, and short forms for their constants.     *)
(*                                                                         *)
(* A model is plain data: SliceContract, SliceMenu, SliceIds, SliceBounds. *)
(***************************************************************************)
EXTENDS DART

CONSTANT
    Bounds   \* [log: instance -> most entries, attempts, pending, epochs]

\* Tools read the model's data from TLC's output.
ASSUME DataIsPrinted ==
    PrintT(<<"MODEL", [contract |-> Contract, menu |-> Menu, ids |-> CheckpointIds,
                       bounds |-> Bounds, policy |-> Policy, without |-> Without]>>)

\* Checkpoint ids are taken in order: which free one a checkpoint gets makes no difference.
InOrder ==
    \A id \in DOMAIN checkpoints' \ DOMAIN checkpoints :
        \A p \in 1..Place(id) - 1 : CheckpointIds[p] \in DOMAIN checkpoints

Within ==
    /\ \A i \in DOMAIN log' : Len(log'[i]) <= Bounds.log[i]
    /\ \A i \in DOMAIN attempt' : attempt'[i] <= Bounds.attempts
    /\ Len(failures') <= Bounds.pending
    /\ epoch' <= Bounds.epochs
    /\ InOrder

-----------------------------------------------------------------------------

\* An instance; it is also its own full tag.
Instance(skeleton, entity, ordinal) ==
    [skeleton |-> skeleton, entity |-> entity, ordinal |-> ordinal]

\* A skeleton of which nothing is said but that it may be rolled back to entry and commits.
Plain ==
    [reads |-> {}, writes |-> {}, states |-> {}, tools |-> << >>, commit |-> Always,
     exit |-> Always, rollback_to |-> {"entry", "commit"}, effects |-> << >>]

ContractOf(skeletons) ==
    [skeletons |-> skeletons, compensate |-> FALSE, fallback |-> "rerun", external |-> Null]

\* An enter, commit or exit event.
Step(i) == [instance |-> i, state |-> Null]

\* An act event; `id` and `reads` may be Null.
Doing(i, id, state, reads, writes, effects) ==
    [instance |-> i, id |-> id, state |-> state, reads |-> reads, writes |-> writes,
     effects |-> effects]

\* A save event; its hidden truth is chosen when it happens.
Saving(id, tag, scope, stable) ==
    [id |-> id, tag |-> tag, scope |-> scope, stable |-> stable, truth |-> Null]

\* A failure of which no more is seen than the tag.
Failing(tag) ==
    [tag |-> tag, suspect |-> Null, state |-> Null, tool |-> Null, args |-> << >>, truth |-> Null]

Unknown == Instance(Null, Null, Null)
=============================================================================
