------------------------------- MODULE Decide -------------------------------
(***************************************************************************)
(* The decision: a verdict with its whole evidence.                        *)
(* Semantics: section 5.                                                   *)
(*                                                                         *)
(* Where the core quotes numbers of events, which are labels, evidence     *)
(* here names places in logs; where it lists in order, here are sets.      *)
(***************************************************************************)
EXTENDS Localize, Admit

\* The irreversible effects performed so far, in every epoch: what a rerun would repeat.
\* core: decide.hazards
Hazards == {x \in world : EffectClass(x.instance.skeleton, x.name) = "irreversible"}

\* The compensable effects that a restore to the cut undoes, as <<index, effect>>.
\* core: decide.compensations
Compensations(i, n) ==
    UNION {{<<q, effect>> : effect \in
                {x \in LogOf(i)[q].effects : EffectClass(i.skeleton, x) = "compensable"}} :
               q \in n + 1..Len(LogOf(i))}

\* The reads that stand against the restore, of the reader's entries at its places.
Conflicts(guard, i, n, Places(_)) ==
    UNION {UNION {{[guard |-> guard, key |-> r.key, written |-> r.version.index,
                    reader |-> j, read |-> q] : r \in ReadsAfter(j, q, i, n)} :
                      q \in Places(j)} : j \in Others(i)}

\* The facts that make the guard false for the checkpoint.
\* core: decide.witnesses
Witnesses(c, i, guard) ==
    LET n == c.cut[i]
    IN CASE guard = "stable" -> {[guard |-> guard]}
         [] guard = "decidable" -> {[guard |-> guard, owners |-> c.owners]}
         [] guard = "closed" ->
              UNION {{[guard |-> guard, key |-> key, written |-> q] : key \in LogOf(i)[q].writes} :
                         q \in OpenWrites(i, n)}
         [] guard = "separable" ->
              {[guard |-> guard, instance |-> j, at |-> Get(c.cut, j, 0) + 1] : j \in Overrun(c, i)}
         [] guard = "controllable" -> {[guard |-> guard, kind |-> Boundary(i, n)]}
         [] guard = "repairs" -> {[guard |-> guard, instance |-> i, at |-> Suspect(i)]}
         [] guard = "no_committed_conflict" ->
              Conflicts(guard, i, n, LAMBDA j : 1..LastCommit(j))
         [] guard = "no_live_conflict" ->
              Conflicts(guard, i, n, LAMBDA j : LastCommit(j) + 1..Len(log[j]))
         [] guard = "effect_allowed" ->
              {[guard |-> guard, effect |-> x[2], at |-> x[1],
                effect_class |-> EffectClass(i.skeleton, x[2])] : x \in FixedEffects(i, n)}

\* The checkpoint with every guard evaluated, and a witness for each that is false.
\* core: decide.judge
Judge(c, i) ==
    LET values == Guards(c, i)
        false == {guard \in GuardNames : ~values[guard]}
    IN [id |-> c.id,
        kind |-> Boundary(i, c.cut[i]),
        guards |-> values,
        witnesses |-> UNION {Witnesses(c, i, guard) : guard \in false}]

\* What is to be done where `chosen` is the latest admissible checkpoint, or Null of none.
\* core: decide.verdict
Verdict(chosen) ==
    CASE chosen # Null -> "restore"
      [] chosen = Null /\ Contract.fallback = "escalate" /\ Hazards # {} -> "escalate"
      [] OTHER -> "rerun"

\* The one decision about the pending failures, with its evidence; Null where none is pending.
\* core: decide.decide
Decide ==
    LET i == Identified
        own == IF i = Null THEN << >> ELSE Aligned(i)
        judged == [p \in DOMAIN own |-> Judge(own[p], i)]
        admissible == {judged[p].id : p \in {q \in DOMAIN own : judged[q].witnesses = {}}}
        chosen == Latest(SelectSeq(own, LAMBDA c : c.id \in admissible), i)
    IN IF failures = << >> THEN Null
       ELSE [verdict |-> Verdict(chosen),
             reason |-> CASE i = Null -> "not_identified"
                          [] i # Null /\ chosen = Null -> "no_admissible_checkpoint"
                          [] OTHER -> Null,
             instance |-> i,
             candidates |-> UNION {failures[f].candidates : f \in DOMAIN failures},
             checkpoint |-> IF chosen = Null THEN Null ELSE chosen.id,
             checkpoints |-> judged,
             hazards |-> Hazards,
             compensations |-> IF chosen = Null THEN {} ELSE Compensations(i, chosen.cut[i])]
=============================================================================
