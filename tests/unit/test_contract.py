import pytest

from dart_core import (
    Boundary,
    Contract,
    EffectClass,
    FrozenMap,
    Predicate,
    Skeleton,
    bind,
    effect_class,
    holds,
    opens,
    rolls_back,
    skeleton_of,
)

EFFECTS = FrozenMap({kind.value: kind for kind in EffectClass})
REVIEWED = FrozenMap({"a": Skeleton(effects=EFFECTS)})


def test_skeleton_of_unreviewed_opens_nothing() -> None:
    found = skeleton_of(Contract(), "a")
    assert found == Skeleton(rollback_to=frozenset())
    assert not any(opens(Contract(), "a", kind) for kind in Boundary)


def test_opens_by_default_entry_and_commit() -> None:
    contract = Contract(skeletons=REVIEWED)
    assert [kind for kind in Boundary if opens(contract, "a", kind)] == [
        Boundary.ENTRY,
        Boundary.COMMIT,
    ]


def test_bind_puts_the_entity_everywhere() -> None:
    assert bind("{entity}/{entity}.x", "m") == "m/m.x"
    assert bind("plain", "m") == "plain"


@pytest.mark.parametrize(
    ("predicate", "state", "written", "expected"),
    [
        (Predicate(), None, set(), True),
        (Predicate(states=frozenset({"s"})), "s", set(), True),
        (Predicate(states=frozenset({"s"})), "t", set(), False),
        (Predicate(states=frozenset({"s"})), None, set(), False),
        (Predicate(states=frozenset()), "s", set(), False),
        (Predicate(writes=frozenset({"{entity}.k", "j"})), None, {"m.k", "j"}, True),
        (Predicate(writes=frozenset({"{entity}.k", "j"})), None, {"m.k"}, False),
        (Predicate(writes=frozenset({"{entity}.k"})), None, {"n.k"}, False),
        (Predicate(writes=frozenset()), None, set(), True),
        (Predicate(frozenset({"s"}), frozenset({"j"})), "s", {"j"}, True),
        (Predicate(frozenset({"s"}), frozenset({"j"})), "t", {"j"}, False),
        (Predicate(frozenset({"s"}), frozenset({"j"})), "s", set(), False),
    ],
)
def test_holds(predicate: Predicate, state: str | None, written: set[str], expected: bool) -> None:
    assert holds(predicate, "m", state, written) is expected


def test_effect_class_of_an_unlisted_effect_is_irreversible() -> None:
    contract = Contract(skeletons=REVIEWED)
    assert effect_class(contract, "a", "idempotent") is EffectClass.IDEMPOTENT
    assert effect_class(contract, "a", "unheard") is EffectClass.IRREVERSIBLE
    assert effect_class(contract, "b", "idempotent") is EffectClass.IRREVERSIBLE


@pytest.mark.parametrize("compensate", [False, True])
def test_rolls_back(compensate: bool) -> None:
    contract = Contract(skeletons=REVIEWED, compensate=compensate)
    assert {kind for kind in EffectClass if rolls_back(contract, "a", kind.value)} == {
        EffectClass.REVERSIBLE,
        EffectClass.IDEMPOTENT,
        *([EffectClass.COMPENSABLE] if compensate else []),
    }
