---------------------------- MODULE MCInductive -----------------------------
(***************************************************************************)
(* The safety core is inductive: from every state of a bounded shape in    *)
(* which it holds, reached or not, each single step preserves it.          *)
(*                                                                         *)
(* f writes, has irreversible effects and commits, sometimes falsely; j    *)
(* reads what f wrote.  What follows from the logs (store, world, saved)   *)
(* is derived from them; all else is free.                                 *)
(***************************************************************************)
EXTENDS MC

f == Instance("f", "e", 1)
j == Instance("j", "e", 1)
out == <<"out">>

SliceContract ==
    ContractOf(
        "f" :> [Plain EXCEPT !.commit = [states |-> Null, writes |-> {out}],
                             !.effects = "send" :> "irreversible"] @@
        "j" :> Plain)

SliceIds == <<"c1", "c2">>

SliceMenu ==
    [enter |-> {Step(j)},
     act |-> {Doing(f, Null, Null, {}, {out}, {}), Doing(f, Null, Null, {}, {}, {"send"}),
              Doing(j, Null, Null, {out}, {}, {})},
     commit |-> {Step(f), Step(j)},
     exit |-> {Step(f)},
     save |-> {Saving("c2", Unknown, "task", TRUE)},
     fail |-> {Failing(Unknown)}]

SliceBounds ==
    [log |-> f :> 6 @@ j :> 6, attempts |-> 6, pending |-> 3, epochs |-> 3]

-----------------------------------------------------------------------------
(* The safety core: more than the claims, so that it carries itself. *)

\* What anybody has read, committed or not, is still there.
ReadsExist ==
    \A i \in DOMAIN log : \A entry \in Range(log[i]) : \A r \in entry.reads :
        r.version # Null => Exists(r.version)

\* No handoff, closed or open, has writes of two attempts; what an open one has written is
\* of the attempt that is running.
HandoffsWhole ==
    \A i \in DOMAIN log :
        LET written_at(q) == log[i][q].writes # {}
            Together(p, q) == \A o \in p..q - 1 : ~Closes(i, o)
        IN /\ \A p, q \in DOMAIN log[i] :
                  p < q /\ written_at(p) /\ written_at(q) /\ Together(p, q) =>
                      log[i][p].attempt = log[i][q].attempt
           /\ \A q \in DOMAIN log[i] :
                  written_at(q) /\ Together(q, Len(log[i]) + 1) => log[i][q].attempt = attempt[i]

\* Attempts are counted up, and the one that is running is the last.
AttemptsGrow ==
    \A i \in DOMAIN log : \A q \in DOMAIN log[i] :
        log[i][q].attempt <= IF q = Len(log[i]) THEN attempt[i] ELSE log[i][q + 1].attempt

\* The store holds what the logs have written.
StoreFollows ==
    \A key \in DOMAIN store : \A v \in Range(store[key]) :
        Exists(v) /\ key \in log[v.writer][v.index].writes

SafetyCoreInv == ReadsExist /\ HandoffsWhole /\ AttemptsGrow /\ StoreFollows /\ ~ErasedEffect

-----------------------------------------------------------------------------
(* All states of the shape. *)

Made(shape, n) ==
    CASE shape = "write" -> [Entry("act", n, Null) EXCEPT !.writes = {out}]
      [] shape = "send" -> [Entry("act", n, Null) EXCEPT !.effects = {"send"}]
      [] shape \in {"enter", "commit", "exit"} -> Entry(shape, n, Null)

Rising(n) == {a \in [1..n -> 1..2] : \A q \in 1..n - 1 : a[q] <= a[q + 1]}

\* The logs of f with up to four entries, of up to two attempts.
LogsOfF ==
    UNION {{[q \in 1..n |-> Made(IF q = 1 THEN "enter" ELSE shapes[q], a[q])] :
               shapes \in [2..n -> {"write", "send", "commit"}], a \in Rising(n)} : n \in 1..4}

Written(own) == {q \in DOMAIN own : own[q].writes # {}}

VersionAt(own, q) == [writer |-> f, attempt |-> own[q].attempt, index |-> q]

\* The logs of j with up to three entries, that read what there is.
LogsOfJ(own) ==
    LET versions == {Null} \cup {VersionAt(own, q) : q \in Written(own)}
        reading(v) == [Entry("act", 1, Null) EXCEPT !.reads = {[key |-> out, version |-> v]}]
        steps == {reading(v) : v \in versions} \cup {Entry("commit", 1, Null)}
    IN UNION {{[q \in 1..n |-> IF q = 1 THEN Entry("enter", 1, Null) ELSE s[q]] :
                  s \in [2..n -> steps]} : n \in 0..3}

StoreOf(own) ==
    LET indices == SelectSeq([q \in DOMAIN own |-> q], LAMBDA q : q \in Written(own))
    IN IF indices = << >> THEN << >>
       ELSE out :> [p \in DOMAIN indices |-> VersionAt(own, indices[p])]

WorldOf(own) ==
    {[epoch |-> 1, instance |-> f, attempt |-> own[q].attempt, index |-> q, name |-> "send"] :
        q \in {p \in DOMAIN own : own[p].effects # {}}}

CheckpointOf(id, cut, scope, stable) ==
    id :> [id |-> id, tag |-> f, owners |-> {f}, cut |-> cut, scope |-> scope,
           stable |-> stable, truth |-> f]

\* One checkpoint of f at any place, or one of the task, or none; and perhaps another of f.
Saved(own, other) ==
    LET first == {CheckpointOf("c1", f :> n, "instance", stable) :
                      n \in DOMAIN own, stable \in BOOLEAN}
        whole == {CheckpointOf("c1", f :> n @@ j :> m, "task", stable) :
                      n \in DOMAIN own, m \in DOMAIN other, stable \in BOOLEAN}
        second == {CheckpointOf("c2", f :> n, "instance", TRUE) : n \in DOMAIN own}
    IN {a @@ b : a \in first \cup whole \cup {<< >>}, b \in second \cup {<< >>}}

FailureBy(candidates, truth) ==
    [observed |-> Failing(IF candidates = {f} THEN f ELSE Unknown), candidates |-> candidates,
     suspect |-> Null, truth |-> truth]

Start ==
    \E own \in LogsOfF : \E other \in LogsOfJ(own) : \E n \in own[Len(own)].attempt..3 :
        \E cs \in Saved(own, other) :
        \E pending \in {<< >>, <<FailureBy({f}, f)>>, <<FailureBy({f, j}, j)>>} :
            /\ pending # << >> /\ other = << >> => pending[1].candidates = {f}
            /\ log = IF other = << >> THEN f :> own ELSE f :> own @@ j :> other
            /\ attempt = IF other = << >> THEN f :> n ELSE f :> n @@ j :> 1
            /\ store = StoreOf(own)
            /\ checkpoints = cs
            /\ saved = IF DOMAIN cs = {} THEN << >>
                       ELSE f :> SelectSeq(SliceIds, LAMBDA id : id \in DOMAIN cs)
            /\ failures = pending
            /\ epoch = 1
            /\ world = WorldOf(own)
            /\ written = {}
            /\ SafetyCoreInv

\* One step and no more: TLC checks what an action constraint forbids, and then forgets it.
NoFurther == epoch' < 1
=============================================================================
