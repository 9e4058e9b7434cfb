------------------------------ MODULE History -------------------------------
(***************************************************************************)
(* The state: one log per instance, linked by reads.                       *)
(* Semantics: sections 1 and 3.                                            *)
(*                                                                         *)
(* A history is a partial order.  Each instance has its own log, and a     *)
(* read names the version that it read; so two interleavings of            *)
(* independent events are one state.                                       *)
(*                                                                         *)
(*   instance    [skeleton, entity, ordinal]                               *)
(*   tag         the same, each part possibly Null                         *)
(*   version     [writer, attempt, index]: the act that wrote it           *)
(*   read        [key, version]; version Null: a value from outside        *)
(*   entry       [kind, attempt, state, id, reads, writes, effects]        *)
(*   checkpoint  [id, tag, owners, cut, scope, stable, truth]              *)
(*   failure     [observed, candidates, suspect, truth]                    *)
(*   effect      [epoch, instance, attempt, index, name]                   *)
(***************************************************************************)
EXTENDS Contract

VARIABLES
    log,          \* instance that entered -> its surviving entries in this epoch
    attempt,      \* instance -> how often it was started; stays when it is gone
    store,        \* key -> its surviving versions, oldest first
    checkpoints,  \* id -> checkpoint
    saved,        \* instance -> the ids of its checkpoints, oldest first
    failures,     \* the pending failures, in the order in which they were seen
    epoch,        \* one more than the number of whole-task reruns
    world,        \* all effects ever performed
    written       \* the keys ever written, where the contract lists the external ones

vars == <<log, attempt, store, checkpoints, saved, failures, epoch, world, written>>

-----------------------------------------------------------------------------
(* Finite maps and numbers. *)

\* The map in which `key` leads to `value`, all else as in `map`.
Put(map, key, value) ==
    [x \in DOMAIN map \cup {key} |-> IF x = key THEN value ELSE map[x]]

\* What `key` leads to, or `default`.
Get(map, key, default) == IF key \in DOMAIN map THEN map[key] ELSE default

Max(S) == CHOOSE x \in S : \A y \in S : y <= x
Min(S) == CHOOSE x \in S : \A y \in S : x <= y

Only(S) == CHOOSE x \in S : TRUE

Reverse(s) == [n \in 1..Len(s) |-> s[Len(s) + 1 - n]]

Range(s) == {s[n] : n \in DOMAIN s}

-----------------------------------------------------------------------------

\* Whether no part of the tag is unknown.
\* core: history.is_full
IsFull(tag) == tag.skeleton # Null /\ tag.entity # Null /\ tag.ordinal # Null

\* Whether the instance may be the one that was seen.
\* core: history.matches
Matches(tag, i) ==
    /\ tag.skeleton \in {Null, i.skeleton}
    /\ tag.entity \in {Null, i.entity}
    /\ tag.ordinal \in {Null, i.ordinal}

\* The surviving entries of the instance in this epoch; none where it did not enter.
\* core: history.log_of
LogOf(i) == Get(log, i, << >>)

\* Whether the instance has entered in this epoch and is not gone.
\* core: history.entered
Entered(i) == i \in DOMAIN log

\* Whether the instance has entered and not exited.
\* core: history.live
Live(i) == Entered(i) /\ log[i][Len(log[i])].kind # "exit"

\* All instances but this one.
\* core: history.others
Others(i) == DOMAIN log \ {i}

\* Whether the instance is the only candidate of a pending failure.
\* core: history.suspended
Suspended(i) == \E f \in DOMAIN failures : failures[f].candidates = {i}

\* The index of the last commit or exit in the log, or 0: all up to it is committed.
\* core: history.last_commit
LastCommit(i) ==
    Max({0} \cup {q \in DOMAIN LogOf(i) : log[i][q].kind \in {"commit", "exit"}})

\* The FSM state seen last in the entries, or Null where none was seen.
\* core: history.last_state
LastState(entries) ==
    LET seen == {q \in DOMAIN entries : entries[q].state # Null}
    IN IF seen = {} THEN Null ELSE entries[Max(seen)].state

\* Whether the entry at q is a closing point: the entry, or a commit or exit that holds.
\* core: history.closes
Closes(i, q) ==
    LET prefix == SubSeq(LogOf(i), 1, q)
        state == LastState(prefix)
        keys == UNION {prefix[p].writes : p \in 1..q}
    IN CASE prefix[q].kind = "enter" -> TRUE
         [] prefix[q].kind = "act" -> FALSE
         [] prefix[q].kind = "commit" ->
                Holds(SkeletonOf(i.skeleton).commit, i.entity, state, keys)
         [] prefix[q].kind = "exit" ->
                Holds(SkeletonOf(i.skeleton).exit, i.entity, state, keys)

\* What an act is taken to have read that does not say: all that its skeleton reads.
\* core: history.default_reads
DefaultReads(i) == {Bind(key, i.entity) : key \in SkeletonOf(i.skeleton).reads}

\* The length that each log would have once the checkpoint were restored; 0 is gone.
\* An instance checkpoint that has not exactly one owner cuts no log: nobody can say
\* whose it is.
\* core: history.remaining
Remaining(c) ==
    LET back == CASE c.scope = "task" -> DOMAIN log
                  [] c.scope = "instance" /\ Cardinality(c.owners) = 1 -> c.owners
                  [] OTHER -> {}
    IN [i \in DOMAIN log |-> IF i \in back THEN Get(c.cut, i, 0) ELSE Len(log[i])]
=============================================================================
