----------------------------- MODULE Baselines ------------------------------
(***************************************************************************)
(* The baselines: what other runtimes would restore in the same state.     *)
(* Semantics: section 8.                                                   *)
(***************************************************************************)
EXTENDS Localize, Admit

CONSTANT
    CheckpointIds   \* the ids of checkpoints, a sequence in the order of their names

Policies ==
    {"retry_only", "coarse_state", "savepoint", "entry_only", "controller_legal", "dart"}

AllCheckpoints == {checkpoints[id] : id \in DOMAIN checkpoints}

\* The instances that some pending failure may concern.
\* core: baselines.suspects
Suspects == UNION {failures[f].candidates : f \in DOMAIN failures}

\* The checkpoints that a controller can restore: stable, there, and perhaps the failed one's.
\* core: baselines.controller_legal
ControllerLegal == {c \in AllCheckpoints : c.stable /\ c.owners \cap Suspects # {}}

\* The failed instance's latest legal checkpoint at this kind of boundary; none of an unknown one.
\* core: baselines.of_kind
OfKind(kind) ==
    LET i == Identified
        legal == SelectSeq(Aligned(i), LAMBDA c : c.stable /\ Boundary(i, c.cut[i]) = kind)
    IN IF i = Null \/ legal = << >> THEN {} ELSE {Latest(legal, i)}

RECURSIVE Sum(_)
Sum(cut) ==
    IF DOMAIN cut = {} THEN 0
    ELSE LET i == Only(DOMAIN cut)
         IN cut[i] + Sum([j \in DOMAIN cut \ {i} |-> cut[j]])

Place(id) == CHOOSE p \in DOMAIN CheckpointIds : CheckpointIds[p] = id

\* The latest stable snapshot of the whole task, where a failure is pending.
\* The latest is the one that covers most entries: surviving snapshots are prefixes of
\* each other.
\* core: baselines.snapshots
Snapshots ==
    LET whole == {c \in AllCheckpoints : c.stable /\ c.scope = "task" /\ failures # << >>}
        Before(c, d) ==
            \/ Sum(c.cut) < Sum(d.cut)
            \/ Sum(c.cut) = Sum(d.cut) /\ Place(c.id) < Place(d.id)
    IN {d \in whole : \A c \in whole \ {d} : Before(c, d)}

\* What this procedure admits when it leaves out one guard, or none (Null).
\* The guard "identified" stands for step 1: without it every candidate counts as the
\* failed one.
\* core: baselines.dart_without
DartWithout(guard) ==
    LET failed == CASE guard = "identified" -> Suspects
                    [] guard # "identified" /\ Identified = Null -> {}
                    [] OTHER -> {Identified}
        Passes(c, i) ==
            LET values == Guards(c, i)
            IN \A name \in GuardNames \ {guard} : values[name]
    IN UNION {{c \in Range(Aligned(i)) : Passes(c, i)} : i \in failed}

\* The checkpoints that the policy would restore; none means a rerun of the whole task.
\* core: baselines.choice
Choice(policy) ==
    CASE policy = "retry_only" -> {}
      [] policy = "coarse_state" -> Snapshots
      [] policy = "savepoint" -> OfKind("commit")
      [] policy = "entry_only" -> OfKind("entry")
      [] policy = "controller_legal" -> ControllerLegal
      [] policy = "dart" -> DartWithout(Null)
=============================================================================
