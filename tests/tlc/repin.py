"""
Write the manifest's numbers and the counterexample traces anew.

`python tests/tlc/repin.py [MODEL...]`: of all models of the env `tlc`, or of these.
"""

from __future__ import annotations

import json
import sys

from models import (
    COUNTEREXAMPLES,
    MANIFEST,
    counterexample,
    manifest,
    models_of,
    path_of,
    pinned_of,
    restores_wrongly,
    result_of,
)


def main(names: list[str]) -> None:
    """Run the models, one after the other."""
    COUNTEREXAMPLES.mkdir(parents=True, exist_ok=True)
    entries = manifest()
    for name in names:
        entries[name] |= pinned_of(result_of(name))
        MANIFEST.write_text(json.dumps({"format": 1, "models": entries}, indent=1) + "\n")
        if restores_wrongly(name):
            path_of(name).write_bytes(counterexample(name))
        print(name, entries[name], flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or models_of("tlc"))
