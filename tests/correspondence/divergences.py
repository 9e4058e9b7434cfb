"""Where the specification and the core differ in form, each with its reason."""

from __future__ import annotations

# The state is implicit in the specification: the first parameter of a function of the core.
# `contract` is a constant there, so it is no parameter either.
STATE = ("history", "contract")

# Short names in the specification for the core's words.
WORDS = {
    "instance": "i",
    "cut": "n",
    "checkpoint": "c",
    "event": "e",
    "fail": "e",
    "reader": "j",
    "failure": "f",
    "index": "q",
}

# Parameters that differ, by the core's function: as the specification has them.
PARAMETERS = {
    "history.last_state": ("entries",),  # `log` is a variable of the specification
    "admit.latest": ("list", "i"),  # so is `checkpoints`
    "dart.rerun": (),  # the event has no fields
    "dart.apply": (),  # Next chooses the event
    "dart.initial": (),  # the contract is a constant
    "align.aligned": ("i",),
}

# Operators that have another name than the function in capitals.
NAMES = {
    "dart.initial": "Init",  # the names that TLA+ gives to these
    "dart.apply": "Next",
    "dart.refuses_step": "CanStep",  # a condition there, a reason for its absence here
}

# Functions of the core with no operator: why each.
ONLY_CORE = {
    "dart.enabled": "an action's own conjuncts in the specification",
    "dart.fold": "a behaviour, in the specification",
}

# Operators of the specification that may go without a back-pointer: by module, the kinds of
# things that the core does with Python's own means (finite maps, types, defaults) or that are
# of the models' world alone (environment, fairness, claims).
ONLY_SPEC = {
    "Contract": {
        "EffectClasses": "an enum here",
        "Boundaries": "an enum here",
        "Fallbacks": "an enum here",
        "IsPredicate": "a type here",
        "IsSkeleton": "a type here",
        "Always": "the default of a class here",
        "Unreviewed": "a constant here",
    },
    "History": {
        "vars": "TLA+'s own",
        "Put": "FrozenMap.put",
        "Get": "FrozenMap.get",
        "Max": "built in",
        "Min": "built in",
        "Only": "next(iter(...))",
        "Reverse": "built in",
        "Range": "built in",
    },
    "Localize": {"PlacesOf": "the field `acts`, which follows from the logs"},
    "Admit": {"GuardNames": "the constant GUARDS"},
    "Decide": {"Conflicts": "a private function here"},
    "Valid": {
        "ClosesHandoff": "a private function here",
        "MustStand": "a private function here",
    },
    "Baselines": {
        "Policies": "an enum here",
        "AllCheckpoints": "checkpoints.values()",
        "Sum": "built in",
        "Place": "ids are ordered as text here",
    },
    "DART": {
        "EventKinds": "a union of classes here",
        "Entry": "a class with defaults here",
        "Hidden": "the environment",
        "SavedBy": "the environment",
        "FailureOf": "the environment",
        "Saves": "the environment",
        "Fails": "the environment",
        "Permitted": "the policy",
        "Restores": "the policy",
        "Recover": "fairness",
        "Spec": "the behaviours",
        "Restoring": "a claim's own",
        "Restored": "a claim's own",
        "Left": "a claim's own",
        "After": "a claim's own",
        "With": "a claim's own",
        "InvalidAtOnce": "a claim's own",
        "InvalidAfterCommit": "a claim's own",
        "InvalidAfterHandoff": "a claim's own",
        "Completing": "a claim's own",
        "NeverCloses": "a claim's own",
        "CommitmentSensitive": "a claim's own",
        "Pin": "a claim's own",
        "Blind": "a claim's own",
        "TypeOK": "types here",
        "IsInstance": "a type here",
        "IsVersion": "a type here",
        "IsEntry": "a type here",
        "IsCheckpoint": "a type here",
        "IsFailure": "a type here",
    },
}

# Claims and situations: named by how they end or begin.
CLAIM = r"\w+(Inv|Prop)|Reach\w+"
