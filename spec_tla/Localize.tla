------------------------------ MODULE Localize ------------------------------
(***************************************************************************)
(* Step 1: which instance failed.  Semantics: section 5, step 1.           *)
(***************************************************************************)
EXTENDS History

\* Where the act with this id stands, <<owner, index>>; nowhere or at one place.
PlacesOf(id) ==
    UNION {{<<i, q>> : q \in {p \in DOMAIN log[i] : log[i][p].id = id}} : i \in DOMAIN log}

\* Where the act in doubt stands; Null where none is named or it is gone.
\* core: localize.suspect_place
SuspectPlace(e) ==
    IF e.suspect = Null \/ PlacesOf(e.suspect) = {} THEN Null ELSE Only(PlacesOf(e.suspect))

\* The entity that the failed call's arguments bind for the instance's skeleton, if they do.
\* core: localize.bound_entity
BoundEntity(e, i) ==
    LET argument == Get(SkeletonOf(i.skeleton).tools, e.tool, Null)
    IN IF e.tool = Null \/ argument = Null THEN Null ELSE Get(e.args, argument, Null)

\* Whether all that was seen of the failure fits the instance.
\* core: localize.fits
Fits(e, i) ==
    /\ Matches(e.tag, i)
    /\ \/ e.tag.skeleton # Null
       \/ /\ e.state = Null \/ e.state \in SkeletonOf(i.skeleton).states
          /\ e.tool = Null \/ e.tool \in DOMAIN SkeletonOf(i.skeleton).tools
    /\ e.tag.entity # Null \/ BoundEntity(e, i) \in {Null, i.entity}

\* The instances that may have failed, by the first rule that applies: a named act
\* counts before a full tag, a full tag before what the live instances fit.
\* core: localize.candidates
Candidates(e) ==
    LET place == SuspectPlace(e)
    IN CASE e.suspect # Null ->
              {i \in (IF place = Null THEN {} ELSE {place[1]}) : Matches(e.tag, i)}
         [] e.suspect = Null /\ IsFull(e.tag) -> {i \in DOMAIN log : Matches(e.tag, i)}
         [] OTHER -> {i \in DOMAIN log : Live(i) /\ Fits(e, i)}

\* The failed instance, or Null: known only where one failure is pending with one candidate.
\* core: localize.identified
Identified ==
    IF Len(failures) = 1 /\ Cardinality(failures[1].candidates) = 1
    THEN Only(failures[1].candidates)
    ELSE Null
=============================================================================
