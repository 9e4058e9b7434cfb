"""The command `dart-core`."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from importlib.metadata import version

from dart_tools.errors import DartError

__all__ = ["COMMANDS", "main"]

# One module of `dart_tools.commands` each; a module is imported only where its help is shown or
# its command runs.
COMMANDS = (
    "decide",
    "audit",
    "explain",
    "schema",
    "evaluate",
    "export",
    "generate",
    "cluster",
    "tlc",
    "explore",
    "validate",
    "simulate",
)

DESCRIPTION = "Decide and judge recoveries of structured tool agents from their traces."


def _parser(chosen: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="dart-core", description=DESCRIPTION)
    parser.add_argument("--version", action="version", version=f"dart-core {version('dart-core')}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in COMMANDS if chosen not in COMMANDS else (chosen,):
        module = importlib.import_module(f"dart_tools.commands.{name}")
        command = commands.add_parser(name, help=module.HELP, description=module.HELP)
        module.configure(command)
        command.set_defaults(run=module.run)
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run the command; yields its exit code, 2 for bad input."""
    words = sys.argv[1:] if argv is None else argv
    arguments = _parser(words[0] if words else None).parse_args(words)
    try:
        code: int = arguments.run(arguments)
        sys.stdout.flush()
    except DartError as error:
        print(f"dart-core: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # Nobody reads any more; what the interpreter flushes at its end goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code


if __name__ == "__main__":
    sys.exit(main())
