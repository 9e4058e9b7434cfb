------------------------------ MODULE Certify -------------------------------
(***************************************************************************)
(* Step 2: whether a checkpoint stands at a recoverable boundary of an     *)
(* instance (the paper's Definition 5).  Semantics: section 5, step 2.     *)
(*                                                                         *)
(* n is the length that the instance's log had at the checkpoint.          *)
(***************************************************************************)
EXTENDS History

\* The kind of boundary at the cut: derived from the log, never claimed.
\* core: certify.boundary
Boundary(i, n) ==
    CASE n = 1 -> "entry"
      [] n > 1 /\ LogOf(i)[n].kind = "exit" -> "exit"
      [] OTHER -> "commit"

\* The index of the last closing point at or before the cut.
\* core: certify.last_closing
LastClosing(i, n) == Max({q \in 1..n : Closes(i, q)})

\* The places of the writes in the handoff that is open at the cut.
\* core: certify.open_writes
OpenWrites(i, n) == {q \in LastClosing(i, n) + 1..n : LogOf(i)[q].writes # {}}

\* The other instances that have an entry after the checkpoint's cut.
\* core: certify.overrun
Overrun(c, i) == {j \in Others(i) : Len(log[j]) > Get(c.cut, j, 0)}

\* Whether the checkpoint is known to be the instance's and nobody else's.
\* core: certify.decidable
Decidable(c, i) == c.owners = {i}

\* Whether no handoff is open at the cut.
\* core: certify.closed
Closed(i, n) == OpenWrites(i, n) = {}

\* Whether restoring would rewind the instance alone.
\* core: certify.separable
Separable(c, i) == c.scope = "instance" \/ Overrun(c, i) = {}

\* Whether policy opens the kind of boundary at the cut.
\* core: certify.controllable
Controllable(i, n) == Opens(i.skeleton, Boundary(i, n))

\* Whether the checkpoint stands at a recoverable boundary.
\* core: certify.certified
Certified(c, i) ==
    /\ Decidable(c, i)
    /\ Closed(i, c.cut[i])
    /\ Separable(c, i)
    /\ Controllable(i, c.cut[i])
=============================================================================
