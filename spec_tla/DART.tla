-------------------------------- MODULE DART --------------------------------
(***************************************************************************)
(* DART: the runtime with transition guards, and what it guarantees.       *)
(*                                                                         *)
(* Instances enter, act, commit and exit; checkpoints are saved; failures  *)
(* are seen, perhaps in part.  A pending failure ends with the restore of  *)
(* a checkpoint that the policy permits, or with a rerun of the task.      *)
(* Which policy that is is a constant: the procedure itself, a baseline,   *)
(* or the procedure with one guard left out.                               *)
(*                                                                         *)
(* Events are records with the fields of the core's events.                *)
(* Semantics: sections 4 (events), 6 and 7 (claims).                       *)
(***************************************************************************)
EXTENDS Decide, Valid, Baselines

CONSTANTS
    Menu,     \* kind of event -> the events that may happen
    Policy,   \* who decides: one of Policies, or "any"
    Without   \* with policy "dart", the guard that is left out, or Null

EventKinds == {"enter", "act", "commit", "exit", "save", "fail"}

ASSUME MenuIsOfEvents == DOMAIN Menu = EventKinds

ASSUME PolicyIsKnown ==
    /\ Policy \in Policies \cup {"any"}
    /\ Without # Null => Policy = "dart" /\ Without \in GuardNames \cup {"identified"}

-----------------------------------------------------------------------------

IsInstance(i) == DOMAIN i = {"skeleton", "entity", "ordinal"} /\ i.ordinal \in Nat \ {0}

IsVersion(v) ==
    DOMAIN v = {"writer", "attempt", "index"} /\ v.writer \in DOMAIN attempt /\ v.index > 1

IsEntry(entry) ==
    /\ DOMAIN entry = {"kind", "attempt", "state", "id", "reads", "writes", "effects"}
    /\ entry.kind \in {"enter", "act", "commit", "exit"}
    /\ entry.kind # "act" => entry.reads = {} /\ entry.writes = {} /\ entry.effects = {}
    /\ \A r \in entry.reads : r.version # Null => IsVersion(r.version)

IsCheckpoint(c) ==
    /\ DOMAIN c = {"id", "tag", "owners", "cut", "scope", "stable", "truth"}
    /\ c.scope \in {"instance", "task"} /\ c.stable \in BOOLEAN
    /\ c.owners \subseteq DOMAIN c.cut
    /\ \A i \in DOMAIN c.cut : c.cut[i] \in 1..Len(LogOf(i))

IsFailure(f) ==
    /\ DOMAIN f = {"observed", "candidates", "suspect", "truth"}
    /\ f.candidates \subseteq DOMAIN log
    /\ f.suspect # Null => log[f.suspect[1]][f.suspect[2]].id = f.observed.suspect

TypeOK ==
    /\ DOMAIN log \subseteq DOMAIN attempt
    /\ \A i \in DOMAIN log :
        /\ IsInstance(i)
        /\ log[i] # << >> /\ \A entry \in Range(log[i]) : IsEntry(entry)
        /\ \A q \in DOMAIN log[i] : (log[i][q].kind = "enter") = (q = 1)
        /\ \A q \in DOMAIN log[i] : log[i][q].kind = "exit" => q = Len(log[i])
    /\ \A i \in DOMAIN attempt : attempt[i] \in Nat \ {0}
    /\ \A key \in DOMAIN store : store[key] # << >> /\ \A v \in Range(store[key]) : IsVersion(v)
    /\ \A id \in DOMAIN checkpoints : IsCheckpoint(checkpoints[id]) /\ checkpoints[id].id = id
    /\ \A i \in DOMAIN saved :
        Range(saved[i]) = {id \in DOMAIN checkpoints : i \in checkpoints[id].owners}
    /\ \A f \in Range(failures) : IsFailure(f)
    /\ epoch \in Nat \ {0}
    /\ \A x \in world : DOMAIN x = {"epoch", "instance", "attempt", "index", "name"}
    /\ Contract.external = Null => written = {}

-----------------------------------------------------------------------------
(* What the environment knows and the runtime does not. *)

\* The instances that a checkpoint can truly be of: who does not give an ordinal is
\* alive (assumption A1), and who is suspended does not save.
SavedBy(e) ==
    {i \in DOMAIN log : Matches(e.tag, i) /\ (IsFull(e.tag) \/ (Live(i) /\ ~Suspended(i)))}

\* The instances that a failure can truly be of: the owner of the act in doubt, or who
\* has this name, or who is alive and can show what was seen (assumptions A1 and A3).
FailureOf(e) ==
    LET Shows(i) ==
            /\ e.tag.skeleton = Null /\ e.state # Null => e.state \in SkeletonOf(i.skeleton).states
            /\ e.tag.skeleton = Null /\ e.tool # Null => e.tool \in DOMAIN SkeletonOf(i.skeleton).tools
            /\ LET bound == Get(SkeletonOf(i.skeleton).tools, e.tool, Null)
               IN e.tag.entity = Null /\ bound # Null => Get(e.args, bound, i.entity) = i.entity
        Owns(i) == \E q \in DOMAIN log[i] : log[i][q].id = e.suspect
    IN {i \in DOMAIN log :
           /\ Matches(e.tag, i)
           /\ CASE e.suspect # Null -> Owns(i)
                [] e.suspect = Null /\ IsFull(e.tag) -> TRUE
                [] OTHER -> Live(i) /\ Shows(i)}

\* One of them, chosen by nobody; Null where there is none.
Hidden(S) == IF S = {} THEN {Null} ELSE S

-----------------------------------------------------------------------------

\* The state in which nothing has happened.
\* core: dart.initial
Init ==
    /\ log = << >>
    /\ attempt = << >>
    /\ store = << >>
    /\ checkpoints = << >>
    /\ saved = << >>
    /\ failures = << >>
    /\ epoch = 1
    /\ world = {}
    /\ written = {}

\* Whether the instance can act, commit or exit.
\* core: dart.refuses_step
CanStep(i) == Live(i) /\ ~Suspended(i)

\* The keys that the act reads: those it says, or all that its skeleton reads.
\* core: dart.reads_of
ReadsOf(e) == IF e.reads # Null THEN e.reads ELSE DefaultReads(e.instance)

\* The keys that the act reads and that neither the log nor the outside has given.
\* core: dart.gaps
Gaps(e) ==
    IF Contract.external = Null THEN {} ELSE ReadsOf(e) \ (Contract.external \cup written)

\* The instances that the checkpoint may be of.
\* core: dart.owners_of
OwnersOf(e) ==
    {i \in DOMAIN log : Matches(e.tag, i) /\ (IsFull(e.tag) \/ (Live(i) /\ ~Suspended(i)))}

\* An entry that neither reads, writes nor has effects.
Entry(kind, n, state) ==
    [kind |-> kind, attempt |-> n, state |-> state, id |-> Null,
     reads |-> {}, writes |-> {}, effects |-> {}]

\* The instance begins its log.
\* The attempt of one that was gone by a task restore goes on: no version is named twice.
\* core: dart.enter
Enter(e) ==
    LET i == e.instance
        n == Get(attempt, i, 1)
    IN /\ ~Entered(i)
       /\ i.ordinal = 1 \/ Entered([i EXCEPT !.ordinal = @ - 1])
       /\ log' = Put(log, i, <<Entry("enter", n, e.state)>>)
       /\ attempt' = Put(attempt, i, n)
       /\ UNCHANGED <<store, checkpoints, saved, failures, epoch, world, written>>

\* The act reads the last version of each key, then writes its own, and has its effects.
\* core: dart.act
Act(e) ==
    LET i == e.instance
        n == attempt[i]
        index == Len(log[i]) + 1
        version == [writer |-> i, attempt |-> n, index |-> index]
        Last(key) == IF key \in DOMAIN store THEN store[key][Len(store[key])] ELSE Null
        entry ==
            [kind |-> "act", attempt |-> n, state |-> e.state, id |-> e.id,
             reads |-> {[key |-> key, version |-> Last(key)] : key \in ReadsOf(e)},
             writes |-> e.writes, effects |-> e.effects]
        performed ==
            {[epoch |-> epoch, instance |-> i, attempt |-> n, index |-> index, name |-> effect] :
                effect \in e.effects}
    IN /\ CanStep(i)
       /\ e.id # Null => PlacesOf(e.id) = {}
       /\ Gaps(e) = {}
       /\ log' = [log EXCEPT ![i] = Append(@, entry)]
       /\ store' = [key \in DOMAIN store \cup e.writes |->
                       IF key \in e.writes
                       THEN Append(Get(store, key, << >>), version)
                       ELSE store[key]]
       /\ world' = world \cup performed
       /\ written' = IF Contract.external = Null THEN written ELSE written \cup e.writes
       /\ UNCHANGED <<attempt, checkpoints, saved, failures, epoch>>

\* The instance claims a commit.
\* core: dart.commit
Commit(e) ==
    /\ CanStep(e.instance)
    /\ log' = [log EXCEPT ![e.instance] =
                  Append(@, Entry("commit", attempt[e.instance], e.state))]
    /\ UNCHANGED <<attempt, store, checkpoints, saved, failures, epoch, world, written>>

\* The instance claims to be done.
\* core: dart.exit
Exit(e) ==
    /\ CanStep(e.instance)
    /\ log' = [log EXCEPT ![e.instance] =
                  Append(@, Entry("exit", attempt[e.instance], e.state))]
    /\ UNCHANGED <<attempt, store, checkpoints, saved, failures, epoch, world, written>>

\* The checkpoint is saved with its owners and cut, which never change.
\* core: dart.save
Save(e) ==
    LET owners == OwnersOf(e)
        covered == IF e.scope = "instance" THEN owners ELSE DOMAIN log
        checkpoint ==
            [id |-> e.id, tag |-> e.tag, owners |-> owners,
             cut |-> [i \in covered |-> Len(log[i])],
             scope |-> e.scope, stable |-> e.stable, truth |-> e.truth]
    IN /\ e.id \notin DOMAIN checkpoints
       /\ IsFull(e.tag) => owners # {} /\ \A i \in owners : ~Suspended(i)
       /\ checkpoints' = Put(checkpoints, e.id, checkpoint)
       /\ saved' = [i \in DOMAIN saved \cup owners |->
                       IF i \in owners
                       THEN Append(Get(saved, i, << >>), e.id)
                       ELSE saved[i]]
       /\ UNCHANGED <<log, attempt, store, failures, epoch, world, written>>

\* The failure is pending, with the candidates that it has now.
\* core: dart.fail
Fail(e) ==
    LET found == Candidates(e)
        failure ==
            [observed |-> [e EXCEPT !.truth = Null],
             candidates |-> found,
             suspect |-> IF found = {} THEN Null ELSE SuspectPlace(e),
             truth |-> e.truth]
    IN /\ failures' = Append(failures, failure)
       /\ UNCHANGED <<log, attempt, store, checkpoints, saved, epoch, world, written>>

\* The logs are cut, what the undone acts wrote is gone, and the failures are cleared.
\* core: dart.restore
Restore(e) ==
    LET c == checkpoints[e.checkpoint]
        left == Remaining(c)
        cut == {i \in DOMAIN log : left[i] < Len(log[i])}
        gone == {id \in DOMAIN checkpoints :
                    \E i \in cut : Get(checkpoints[id].cut, i, 0) > left[i]}
        again == cut \cup (IF Cardinality(c.owners) = 1 THEN c.owners ELSE {})
        Survives(version) == version.writer \notin cut \/ version.index <= left[version.writer]
        Surviving(key) == SelectSeq(store[key], Survives)
        StillSaved(i) == SelectSeq(saved[i], LAMBDA id : id \notin gone)
    IN /\ failures # << >>
       /\ e.checkpoint \in DOMAIN checkpoints
       /\ log' = [i \in {j \in DOMAIN log : left[j] > 0} |-> SubSeq(log[i], 1, left[i])]
       /\ attempt' = [i \in DOMAIN attempt |-> IF i \in again THEN attempt[i] + 1 ELSE attempt[i]]
       /\ store' = [key \in {k \in DOMAIN store : Surviving(k) # << >>} |-> Surviving(key)]
       /\ checkpoints' = [id \in DOMAIN checkpoints \ gone |-> checkpoints[id]]
       /\ saved' = [i \in {j \in DOMAIN saved : StillSaved(j) # << >>} |-> StillSaved(i)]
       /\ failures' = << >>
       /\ UNCHANGED <<epoch, world, written>>

\* The task begins again: all is cleared but the world, which remembers.
\* core: dart.rerun
Rerun ==
    /\ failures # << >>
    /\ log' = << >>
    /\ attempt' = << >>
    /\ store' = << >>
    /\ checkpoints' = << >>
    /\ saved' = << >>
    /\ failures' = << >>
    /\ epoch' = epoch + 1
    /\ UNCHANGED <<world, written>>

-----------------------------------------------------------------------------

\* The checkpoint is saved by somebody whom it can be of.
Saves(e) == \E truth \in Hidden(SavedBy(e)) : Save([e EXCEPT !.truth = truth])

\* The failure is of somebody whom it can be of.
Fails(e) == \E truth \in Hidden(FailureOf(e)) : Fail([e EXCEPT !.truth = truth])

\* The checkpoints that the runtime may restore now.
Permitted ==
    CASE Policy = "any" -> AllCheckpoints
      [] Policy # "any" /\ Without # Null -> DartWithout(Without)
      [] OTHER -> Choice(Policy)

\* The runtime restores a checkpoint that it may.
Restores(id) ==
    /\ Policy # "any" => failures # << >> /\ id \in {c.id : c \in Permitted}
    /\ Restore([checkpoint |-> id])

Recover == (\E id \in Range(CheckpointIds) : Restores(id)) \/ Rerun

\* core: dart.apply
Next ==
    \/ \E e \in Menu.enter : Enter(e)
    \/ \E e \in Menu.act : Act(e)
    \/ \E e \in Menu.commit : Commit(e)
    \/ \E e \in Menu.exit : Exit(e)
    \/ \E e \in Menu.save : Saves(e)
    \/ \E e \in Menu.fail : Fails(e)
    \/ \E id \in Range(CheckpointIds) : Restores(id)
    \/ Rerun

\* The runtime does not leave a failure pending for ever.
Spec == Init /\ [][Next]_vars /\ WF_vars(Recover)

-----------------------------------------------------------------------------
(* T1 soundness, and T10 where failures recur: nothing invalid is reached. *)

OrphanedCommitInv == ~OrphanedCommit
TornHandoffInv == ~TornHandoff
ErasedEffectInv == ~ErasedEffect

\* A step that ends pending failures, but not with a rerun.
Restoring == failures # << >> /\ failures' = << >> /\ epoch' = epoch

\* The checkpoints that such a step may have restored.
Restored == {checkpoints[id] : id \in {x \in DOMAIN checkpoints : Restores(x)}}

WrongInstanceProp == [][Restoring => \A c \in Restored : ~WrongInstance(c)]_vars
LeavesSuspectProp == [][Restoring => \A c \in Restored : ~LeavesSuspect(c)]_vars
CrossesPolicyProp == [][Restoring => \A c \in Restored : ~CrossesPolicy(c)]_vars

-----------------------------------------------------------------------------
(* What would come after a restore. *)

\* The logs that would be left.
Left(c) ==
    LET left == Remaining(c)
    IN [i \in {j \in DOMAIN log : left[j] > 0} |-> SubSeq(log[i], 1, left[i])]

\* The ground truth for other logs than those of this state.
After(logs) == INSTANCE Valid WITH log <- logs

\* The logs with one more entry.
With(logs, i, entry) == [logs EXCEPT ![i] = Append(@, entry)]

\* Whether the restore is invalid in itself, or leaves an invalid history.
InvalidAtOnce(c) == RestoreViolations(c) # {} \/ After(Left(c))!Violations # {}

\* Whether it is once somebody who is left has committed.
InvalidAfterCommit(c) ==
    LET left == Left(c)
    IN \E j \in DOMAIN left :
           /\ left[j][Len(left[j])].kind # "exit"
           /\ After(With(left, j, Entry("commit", attempt[j], Null)))!Violations # {}

\* The acts after which a claim of this kind by the instance would hold.
Completing(i, kind) ==
    LET k == SkeletonOf(i.skeleton)
        p == IF kind = "commit" THEN k.commit ELSE k.exit
        keys == IF p.writes = Null THEN {} ELSE {Bind(key, i.entity) : key \in p.writes}
    IN {[Entry("act", attempt[i] + 1, state) EXCEPT !.writes = keys \cup {<<"more">>}] :
           state \in IF p.states = Null THEN {Null} ELSE p.states}

\* Whether it is once the failed instance has written and closed the handoff.
InvalidAfterHandoff(c, i) ==
    LET left == Left(c)
        claim(kind) == Entry(kind, attempt[i] + 1, Null)
    IN \E kind \in {"commit", "exit"} : \E entry \in Completing(i, kind) :
           After(With(With(left, i, entry), i, claim(kind)))!Violations # {}

\* Whether the instance can close no handoff after the cut, so that an open one is never
\* torn: it stands at an exit that it falsely claimed, or its predicates never hold.
NeverCloses(i, n) ==
    LogOf(i)[n].kind = "exit" \/ Completing(i, "commit") \cup Completing(i, "exit") = {}

\* T2 exactness: where a guard other than stable blocks a checkpoint that is known to be
\* the failed instance's, restoring it is invalid at once or after at most two events.
\* The exception is one of the divergences in the README.
ExactInv ==
    LET i == Identified
        Invalid(c) == InvalidAtOnce(c) \/ InvalidAfterCommit(c)
    IN i # Null =>
        \A c \in Range(Aligned(i)) : Decidable(c, i) =>
            LET values == Guards(c, i)
                open == ~values["closed"] /\ ~NeverCloses(i, c.cut[i])
                other == \E guard \in GuardNames \ {"stable", "closed"} : ~values[guard]
            IN /\ other => Invalid(c)
               /\ open => Invalid(c) \/ InvalidAfterHandoff(c, i)

\* T2 without its exception: fails, and a model shows it.
ExactEverywhereInv ==
    LET i == Identified
    IN i # Null =>
        \A c \in Range(Aligned(i)) : Decidable(c, i) =>
            \/ \A guard \in GuardNames \ {"stable"} : Guards(c, i)[guard]
            \/ InvalidAtOnce(c)
            \/ InvalidAfterCommit(c)
            \/ LogOf(i)[c.cut[i]].kind # "exit" /\ InvalidAfterHandoff(c, i)

\* Whether another instance has committed a read of a version that this one wrote after n.
CommitmentSensitive(i, n) ==
    \E j \in DOMAIN log \ {i} : \E claim \in DOMAIN log[j] : \E q \in 1..claim :
        /\ log[j][claim].kind \in {"commit", "exit"}
        /\ \E r \in log[j][q].reads :
               r.version # Null /\ r.version.writer = i /\ r.version.index > n

\* T3 necessity: in a commitment-sensitive history, restoring any legal own checkpoint of
\* before the write is invalid at once.  So a runtime that restores whatever is legal,
\* and does not look at who has committed on it, reaches an invalid history.
NecessityInv ==
    \A c \in ControllerLegal : \A i \in Suspects :
        Decidable(c, i) /\ CommitmentSensitive(i, c.cut[i]) => InvalidAtOnce(c)

\* The index of the last act that must survive: another instance has read what it wrote,
\* or it had an effect that cannot be rolled back; 0 where there is none.
Pin(i) ==
    LET read == {r.version.index : r \in {x \in UNION {e.reads : e \in UNION {Range(log[j]) :
                     j \in Others(i)}} : x.version # Null /\ x.version.writer = i}}
        fixed == {q \in DOMAIN LogOf(i) : \E x \in log[i][q].effects : ~RollsBack(i.skeleton, x)}
    IN Max({0} \cup read \cup fixed)

\* T5 window: of the certified and stable checkpoints, those between the pin and the
\* suspect are admissible.
WindowInv ==
    LET i == Identified
    IN i # Null =>
        \A c \in Range(Aligned(i)) : Stable(c) /\ Certified(c, i) =>
            (Admissible(c, i) <=> Pin(i) <= c.cut[i] /\ c.cut[i] < Suspect(i))

\* T6 confinement: a restore changes the log of the failed instance and no other.
ConfinementProp ==
    [][Restoring /\ Restored # {} =>
           \A j \in Others(Identified) : j \in DOMAIN log' /\ log'[j] = log[j]]_vars

\* T7 totality: the decision is the same where the hidden truth is erased.
Blind ==
    INSTANCE Decide WITH
        checkpoints <- [id \in DOMAIN checkpoints |-> [checkpoints[id] EXCEPT !.truth = Null]],
        failures <- [f \in DOMAIN failures |-> [failures[f] EXCEPT !.truth = Null]]

TotalityInv ==
    LET decision == Decide
    IN IF failures = << >> THEN decision = Null
       ELSE /\ decision = Blind!Decide
            /\ decision.verdict \in {"restore", "rerun", "escalate"}
            /\ (decision.verdict = "restore") = (DartWithout(Null) # {})

\* T7: every pending failure is eventually decided.
DecidedProp == failures # << >> ~> failures = << >>

\* T8 the cooperative case: no_live_conflict follows from the other guards.
CooperativeInv ==
    DartWithout("no_live_conflict") = DartWithout(Null)

\* T9 the instance-wide reading: a runtime that asks whether the instance has any
\* committed consumer at all restores nothing that this procedure would not.
InstanceWideInv ==
    LET i == Identified
    IN i # Null => \A c \in Range(Aligned(i)) :
           NoCommittedConflict(i, 0) => NoCommittedConflict(i, c.cut[i])

-----------------------------------------------------------------------------
(* Situations that must occur. *)

\* A commit checkpoint saves what an entry checkpoint would lose.
ReachCommitSaves ==
    LET i == Identified
    IN i # Null /\ \E c, d \in Range(Aligned(i)) :
           /\ Boundary(i, c.cut[i]) = "commit" /\ Admissible(c, i)
           /\ Boundary(i, d.cut[i]) = "entry" /\ ~Admissible(d, i) /\ Certified(d, i)

\* An admissible checkpoint is not the latest one.
ReachNotLatest ==
    LET i == Identified
    IN i # Null /\ Admitted(i) # << >> /\ ~Admissible(Aligned(i)[1], i)

\* An instance has been restored twice.
ReachRestoreAfterRestore == \E i \in DOMAIN log : attempt[i] = 3 /\ epoch = 1

\* The instance-wide reading blocks what this procedure admits.
ReachInstanceWideBlocks ==
    LET i == Identified
    IN i # Null /\ \E c \in Range(Admitted(i)) : ~NoCommittedConflict(i, 0)
=============================================================================
