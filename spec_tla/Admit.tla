------------------------------- MODULE Admit --------------------------------
(***************************************************************************)
(* Step 4: which checkpoints of the failed instance may be restored (the   *)
(* paper's Definition 6 and section 4.5).  Semantics: section 5, step 4.   *)
(*                                                                         *)
(* n is the length that the instance's log had at the checkpoint.          *)
(***************************************************************************)
EXTENDS Certify, Align

GuardNames ==
    {"stable", "decidable", "closed", "separable", "controllable", "repairs",
     "no_committed_conflict", "no_live_conflict", "effect_allowed"}

\* The index of the instance's earliest act in doubt, or one past the end of its log.
\* core: admit.suspect
Suspect(i) ==
    LET places == {failures[f].suspect : f \in DOMAIN failures} \ {Null}
        own == {place[2] : place \in {p \in places : p[1] = i}}
    IN IF own = {} THEN Len(LogOf(i)) + 1 ELSE Min(own)

\* What the reader's entry at q read of what the instance wrote after the cut.
\* core: admit.reads_after
ReadsAfter(j, q, i, n) ==
    {r \in LogOf(j)[q].reads :
        r.version # Null /\ r.version.writer = i /\ r.version.index > n}

\* The effects of the instance after the cut that cannot be rolled back, as <<index, effect>>.
\* core: admit.fixed_effects
FixedEffects(i, n) ==
    UNION {{<<q, effect>> : effect \in {x \in LogOf(i)[q].effects : ~RollsBack(i.skeleton, x)}} :
               q \in n + 1..Len(LogOf(i))}

\* Whether the snapshot is durable.
\* core: admit.stable
Stable(c) == c.stable

\* Whether the act in doubt would be undone.
\* core: admit.repairs
Repairs(i, n) == n < Suspect(i)

\* Whether no other instance has committed on what would be undone.
\* core: admit.no_committed_conflict
NoCommittedConflict(i, n) ==
    \A j \in Others(i) : \A q \in 1..LastCommit(j) : ReadsAfter(j, q, i, n) = {}

\* Whether no other instance could still commit on what would be undone.
\* core: admit.no_live_conflict
NoLiveConflict(i, n) ==
    \A j \in Others(i) :
        \A q \in LastCommit(j) + 1..Len(log[j]) : ReadsAfter(j, q, i, n) = {}

\* Whether every effect that would be undone may be.
\* core: admit.effect_allowed
EffectAllowed(i, n) == FixedEffects(i, n) = {}

\* Every guard of the checkpoint, for the instance taken as the failed one.
\* core: admit.guards
Guards(c, i) ==
    LET n == c.cut[i]
    IN [stable |-> Stable(c),
        decidable |-> Decidable(c, i),
        closed |-> Closed(i, n),
        separable |-> Separable(c, i),
        controllable |-> Controllable(i, n),
        repairs |-> Repairs(i, n),
        no_committed_conflict |-> NoCommittedConflict(i, n),
        no_live_conflict |-> NoLiveConflict(i, n),
        effect_allowed |-> EffectAllowed(i, n)]

\* Whether every guard holds.
\* core: admit.admissible
Admissible(c, i) ==
    LET values == Guards(c, i)
    IN \A guard \in GuardNames : values[guard]

\* The admissible checkpoints of the instance, latest saved first.
\* core: admit.admitted
Admitted(i) == SelectSeq(Aligned(i), LAMBDA c : Admissible(c, i))

\* The checkpoint with the greatest cut, of equal ones the first; Null of none.
\* core: admit.latest
Latest(list, i) ==
    IF list = << >> THEN Null
    ELSE LET cuts == {list[p].cut[i] : p \in DOMAIN list}
         IN list[Min({p \in DOMAIN list : list[p].cut[i] = Max(cuts)})]
=============================================================================
