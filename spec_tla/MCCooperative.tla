--------------------------- MODULE MCCooperative ---------------------------
(* T8: an instance gives up control only at its entry, a commit or an exit. *)
EXTENDS MCDependencies

\* The instances that are between such points; one at most.
InControl == {i \in DOMAIN log : log[i][Len(log[i])].kind = "act"}

Moved == {i \in DOMAIN log' : log'[i] # LogOf(i)}

\* Nobody acts but who is in control; who fails is in control; nobody acts until it has
\* recovered.
Cooperates ==
    /\ failures # << >> => failures' = << >>
    /\ log' # log /\ failures = << >> => InControl \subseteq Moved
    /\ failures' # failures /\ failures = << >> => InControl \subseteq {failures'[1].truth}

CooperativeNext == Next /\ Cooperates
=============================================================================
