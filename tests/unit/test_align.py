import dart_core as d
from dart_core import Tag
from histories import A, B, act, failed, run, save


def ids(history: d.History, instance: d.InstanceId) -> list[str]:
    return [checkpoint.id for checkpoint in d.aligned(history, instance)]


def test_aligned_latest_saved_first() -> None:
    history = run(
        d.Enter(A),
        save("one", A),
        d.Enter(B),
        save("of b", B),
        d.Save(id="of both", tag=Tag()),
        save("two", A),
    )
    assert ids(history, A) == ["two", "of both", "one"]
    assert ids(history, B) == ["of both", "of b"]
    assert ids(run(d.Enter(A)), A) == []


def test_aligned_loses_what_a_restore_removes() -> None:
    history = run(d.Enter(A), save("one", A), act(A), save("two", A), failed(A), d.Restore("one"))
    assert ids(history, A) == ["one"]
