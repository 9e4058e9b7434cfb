------------------------------ MODULE Contract ------------------------------
(***************************************************************************)
(* The contract: reviewed, frozen configuration of a task and of its       *)
(* skeletons.  Semantics: section 2.                                       *)
(*                                                                         *)
(* A skeleton is a record with the fields of the core's Skeleton, a        *)
(* predicate a record [states, writes] whose parts may be Null.  A key is  *)
(* a sequence of parts: TLA+ has no way to look into a string, so the      *)
(* place of the entity is a part of its own, "{entity}".                   *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS
    Contract,   \* [skeletons: name -> skeleton, compensate, fallback, external]
    Null        \* what is unknown or not given; equal to nothing else

EffectClasses == {"reversible", "idempotent", "compensable", "irreversible"}
Boundaries == {"entry", "commit", "exit"}
Fallbacks == {"rerun", "escalate"}

IsPredicate(p) == DOMAIN p = {"states", "writes"}

IsSkeleton(k) ==
    /\ DOMAIN k = {"reads", "writes", "states", "tools", "commit", "exit",
                   "rollback_to", "effects"}
    /\ IsPredicate(k.commit) /\ IsPredicate(k.exit)
    /\ k.rollback_to \subseteq Boundaries
    /\ \A effect \in DOMAIN k.effects : k.effects[effect] \in EffectClasses

ASSUME ContractIsReviewed ==
    /\ DOMAIN Contract = {"skeletons", "compensate", "fallback", "external"}
    /\ Contract.compensate \in BOOLEAN
    /\ Contract.fallback \in Fallbacks
    /\ \A name \in DOMAIN Contract.skeletons : IsSkeleton(Contract.skeletons[name])

-----------------------------------------------------------------------------

\* The predicate that asks for nothing.
Always == [states |-> Null, writes |-> Null]

\* What holds of a skeleton that the contract does not name: nothing is open.
Unreviewed ==
    [reads |-> {}, writes |-> {}, states |-> {}, tools |-> << >>, commit |-> Always,
     exit |-> Always, rollback_to |-> {}, effects |-> << >>]

\* What is reviewed of the skeleton; of one that the contract does not name, nothing is.
\* core: contract.skeleton_of
SkeletonOf(name) ==
    IF name \in DOMAIN Contract.skeletons THEN Contract.skeletons[name] ELSE Unreviewed

\* The key with the entity in its place.
\* core: contract.bind
Bind(key, entity) ==
    [part \in DOMAIN key |-> IF key[part] = "{entity}" THEN entity ELSE key[part]]

\* Whether the predicate holds where `state` was seen last and `written` was written.
\* core: contract.holds
Holds(predicate, entity, state, written) ==
    /\ predicate.states # Null => state \in predicate.states
    /\ predicate.writes # Null => \A key \in predicate.writes : Bind(key, entity) \in written

\* The effect's class by the skeleton's policy; one that is not listed is irreversible.
\* core: contract.effect_class
EffectClass(name, effect) ==
    LET effects == SkeletonOf(name).effects
    IN IF effect \in DOMAIN effects THEN effects[effect] ELSE "irreversible"

\* Whether an act with this effect may be undone.
\* core: contract.rolls_back
RollsBack(name, effect) ==
    \/ EffectClass(name, effect) \in {"reversible", "idempotent"}
    \/ (EffectClass(name, effect) = "compensable" /\ Contract.compensate)

\* Whether policy lets the skeleton be rolled back to this kind of boundary.
\* core: contract.opens
Opens(name, boundary) == boundary \in SkeletonOf(name).rollback_to
=============================================================================
