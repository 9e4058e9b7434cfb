------------------------------- MODULE Valid --------------------------------
(***************************************************************************)
(* The ground truth: what is invalid, whatever any guard says.             *)
(* Semantics: section 6.                                                   *)
(*                                                                         *)
(* This module takes nothing from the guards or from the operators that    *)
(* they use: it reads the logs.                                            *)
(***************************************************************************)
EXTENDS History

\* Whether the act that wrote the version is still in its writer's log.
\* core: valid.exists
Exists(version) ==
    /\ version.writer \in DOMAIN log
    /\ version.index <= Len(log[version.writer])
    /\ log[version.writer][version.index].attempt = version.attempt

\* Whether a committed read names a version that no longer exists (V1).
\* core: valid.orphaned_commit
OrphanedCommit ==
    \E j \in DOMAIN log : \E claim \in DOMAIN log[j] :
        /\ log[j][claim].kind \in {"commit", "exit"}
        /\ \E q \in 1..claim : \E r \in log[j][q].reads :
               r.version # Null /\ ~Exists(r.version)

\* Whether the entry at q of the instance's log closes a handoff.
ClosesHandoff(i, q) ==
    LET k == IF i.skeleton \in DOMAIN Contract.skeletons
             THEN Contract.skeletons[i.skeleton]
             ELSE [commit |-> Always, exit |-> Always]
        p == IF log[i][q].kind = "commit" THEN k.commit ELSE k.exit
        named == {m \in 1..q : log[i][m].state # Null}
        wanted == IF p.writes = Null THEN {} ELSE {Bind(key, i.entity) : key \in p.writes}
    IN /\ log[i][q].kind \in {"commit", "exit"}
       /\ wanted \subseteq UNION {log[i][m].writes : m \in 1..q}
       /\ \/ p.states = Null
          \/ named # {} /\ log[i][CHOOSE m \in named : \A o \in named : o <= m].state \in p.states

\* Whether a closed handoff contains writes of two attempts (V2).
\* core: valid.torn_handoff
TornHandoff ==
    \E i \in DOMAIN log : \E q \in DOMAIN log[i] : \E p \in 1..q : \E m \in 1..p :
        /\ log[i][m].writes # {} /\ log[i][p].writes # {}
        /\ log[i][m].attempt # log[i][p].attempt
        /\ ClosesHandoff(i, q)
        /\ \A o \in m..q - 1 : ~ClosesHandoff(i, o)

\* Whether nobody undoes the effect when the act is undone.
MustStand(x) ==
    LET known == x.instance.skeleton \in DOMAIN Contract.skeletons
        effects == IF known THEN Contract.skeletons[x.instance.skeleton].effects ELSE << >>
        class == IF x.name \in DOMAIN effects THEN effects[x.name] ELSE "irreversible"
    IN class = "irreversible" \/ (class = "compensable" /\ ~Contract.compensate)

\* Whether an effect of this epoch that nobody undid belongs to an act that is gone (V3).
\* core: valid.erased_effect
ErasedEffect ==
    \E x \in world :
        /\ x.epoch = epoch
        /\ MustStand(x)
        /\ ~Exists([writer |-> x.instance, attempt |-> x.attempt, index |-> x.index])

\* What makes the history invalid; nothing, where it is valid.
\* core: valid.violations
Violations ==
    (IF OrphanedCommit THEN {"V1"} ELSE {})
        \cup (IF TornHandoff THEN {"V2"} ELSE {})
        \cup (IF ErasedEffect THEN {"V3"} ELSE {})

\* The instance that truly failed: the hidden truth, or else the only candidate, or else Null.
\* core: valid.culprit
Culprit(f) ==
    CASE f.truth # Null -> f.truth
      [] f.truth = Null /\ Cardinality(f.candidates) = 1 -> Only(f.candidates)
      [] OTHER -> Null

\* The instances that restoring the snapshot truly takes back, as far as that is known.
\* core: valid.rewound
Rewound(c) ==
    LET own == CASE c.truth # Null -> {c.truth}
                 [] c.truth = Null /\ Cardinality(c.owners) = 1 -> c.owners
                 [] OTHER -> {}
        longer == {i \in DOMAIN log : Len(log[i]) > Get(c.cut, i, 0)}
    IN IF c.scope = "instance" THEN own ELSE own \cup longer

\* Whether restoring takes back an instance other than the one that truly failed (V4).
\* core: valid.wrong_instance
WrongInstance(c) ==
    \E f \in DOMAIN failures :
        Culprit(failures[f]) # Null /\ \E i \in Rewound(c) : i # Culprit(failures[f])

\* Whether restoring leaves an act in doubt standing (V5).
\* core: valid.leaves_suspect
LeavesSuspect(c) ==
    \E f \in DOMAIN failures :
        LET place == failures[f].suspect
        IN place # Null /\ (place[1] \notin Rewound(c) \/ place[2] <= Get(c.cut, place[1], 0))

\* Whether policy closes the boundary that restoring lands an instance on (V6).
\* core: valid.crosses_policy
CrossesPolicy(c) ==
    \E i \in Rewound(c) :
        LET n == Get(c.cut, i, 0)
            kind == CASE log[i][n].kind = "enter" -> "entry"
                      [] log[i][n].kind = "exit" -> "exit"
                      [] OTHER -> "commit"
        IN /\ n > 0
           /\ \/ i.skeleton \notin DOMAIN Contract.skeletons
              \/ kind \notin Contract.skeletons[i.skeleton].rollback_to

\* What makes restoring the checkpoint now invalid in itself; nothing, where it is not.
\* core: valid.restore_violations
RestoreViolations(c) ==
    (IF WrongInstance(c) THEN {"V4"} ELSE {})
        \cup (IF LeavesSuspect(c) THEN {"V5"} ELSE {})
        \cup (IF CrossesPolicy(c) THEN {"V6"} ELSE {})
=============================================================================
