---------------------------- MODULE TraceValues -----------------------------
(***************************************************************************)
(* How the generated module of traces writes values, shortly: instances    *)
(* and tags, events, predicates.                                           *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANT
    Null   \* what is unknown or not given; equal to nothing else

I_(skeleton, entity, ordinal) ==
    [skeleton |-> skeleton, entity |-> entity, ordinal |-> ordinal]
E_(instance, state) == [instance |-> instance, state |-> state]
A_(instance, id, state, reads, writes, effects) ==
    [instance |-> instance, id |-> id, state |-> state,
     reads |-> reads, writes |-> writes, effects |-> effects]
S_(id, tag, scope, stable, truth) ==
    [id |-> id, tag |-> tag, scope |-> scope, stable |-> stable, truth |-> truth]
F_(tag, suspect, state, tool, args, truth) ==
    [tag |-> tag, suspect |-> suspect, state |-> state, tool |-> tool,
     args |-> args, truth |-> truth]
R_(checkpoint) == [checkpoint |-> checkpoint]
P_(states, writes) == [states |-> states, writes |-> writes]
=============================================================================
