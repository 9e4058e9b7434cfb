------------------------------- MODULE Trace --------------------------------
(***************************************************************************)
(* Recorded traces as behaviours of the specification, many at a time.     *)
(*                                                                         *)
(* The module that names the traces is generated; it holds them as data.   *)
(* A trace is a sequence of steps <<kind, event, decision>>: what happened *)
(* and, at a recovery and at the end, what the core has decided there.     *)
(* Each step is an action of the specification, with this decision.        *)
(*                                                                         *)
(* Every trace has its own contract.  A constant cannot be overridden by   *)
(* what depends on the state: so this module is checked with a copy of     *)
(* Contract.tla that extends Traces, the generated module, and defines     *)
(* Contract as the contract of the trace.                                  *)
(*                                                                         *)
(*   trace    a variable: the number of the trace                          *)
(*   Traces   [steps: the steps of each trace, contracts, contract: which  *)
(*            of them each trace has, keys: key -> entity -> the key with  *)
(*            the entity in its place]                                     *)
(*                                                                         *)
(* Keys are strings here; TLA+ does not look into strings, so Bind is      *)
(* overridden by a table.                                                  *)
(***************************************************************************)
EXTENDS DART

VARIABLE
    next   \* the place of the next step of the trace with the number `trace`

TraceBind(key, entity) == IF key \in DOMAIN Traces.keys THEN Traces.keys[key][entity] ELSE key

TraceMenu == [kind \in EventKinds |-> {}]

TraceIds == << >>

\* What of the decision is compared: all but witnesses and numbers of events.
Evidence ==
    LET decision == Decide
        of(judged) ==
            <<judged.id, judged.kind, {guard \in GuardNames : ~judged.guards[guard]}>>
    IN IF decision = Null THEN Null
       ELSE <<decision.verdict,
              decision.reason,
              decision.instance,
              decision.candidates,
              decision.checkpoint,
              [p \in DOMAIN decision.checkpoints |-> of(decision.checkpoints[p])],
              {<<x.instance, x.name>> : x \in decision.hazards},
              {x[2] : x \in decision.compensations}>>

\* Whether this is the decision now; where not, what is decided is told.
Decides(decision) ==
    LET evidence == Evidence
    IN decision = evidence \/ (PrintT(<<"decides", trace, next, evidence>>) /\ FALSE)

Happens(kind, e) ==
    CASE kind = "enter" -> Enter(e)
      [] kind = "act" -> Act(e)
      [] kind = "commit" -> Commit(e)
      [] kind = "exit" -> Exit(e)
      [] kind = "save" -> Save(e)
      [] kind = "fail" -> Fail(e)
      [] kind = "restore" -> Restore(e)
      [] kind = "rerun" -> Rerun
      [] kind = "end" -> UNCHANGED vars

TraceInit == Init /\ trace \in DOMAIN Traces.steps /\ next = 1

\* A step without a third part stands where the core has nothing to decide.
TraceNext ==
    /\ next \in DOMAIN Traces.steps[trace]
    /\ LET step == Traces.steps[trace][next]
       IN (Len(step) = 3 => Decides(step[3])) /\ Happens(step[1], step[2])
    /\ next' = next + 1
    /\ UNCHANGED trace

\* Tells how far each trace goes: one is accepted where its end is told, and not otherwise.
ReachedInv == PrintT(<<"reached", trace, next>>)
=============================================================================
