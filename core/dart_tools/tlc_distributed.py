"""
TLC's distributed mode on this machine: a server and its workers, each a process of its own.

The server keeps the states that were seen, the workers compute successors.
They meet at the loopback address, port 10997.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from dart_tools.tlc import PROGRESS, Messages, TlcResult, TlcRun, java_command, result_of

__all__ = ["run_distributed"]

_ADDRESS = "127.0.0.1"
_SERVER_READY = 7000


@contextmanager
def _process(command: list[str], folder: Path, output: int) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(  # noqa: S603 -- our own command, no shell
        command, cwd=folder, stdout=output, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def _java(temporary: Path, heap: str) -> list[str]:
    temporary.mkdir()
    command = java_command(temporary, heap=heap)
    options = [
        f"-Djava.rmi.server.hostname={_ADDRESS}",
        "-Dtlc2.tool.distributed.TLCWorker.threadCount=1",
    ]
    return [command[0], *options, *command[1:]]


def _server(run: TlcRun, temporary: Path) -> list[str]:
    return [
        *_java(temporary, run.heap),
        "tlc2.tool.distributed.TLCServer",
        "-tool",
        "-deadlock",
        "-metadir",
        str(temporary / "states"),
        "-config",
        f"{run.model}.cfg",
        f"{run.model}.tla",
    ]


def _worker(run: TlcRun, temporary: Path) -> list[str]:
    return [*_java(temporary, run.heap), "tlc2.tool.distributed.TLCWorker", _ADDRESS]


def run_distributed(run: TlcRun, progress: Callable[[str], None] | None = None) -> TlcResult:
    """
    What a server and `run.workers` workers find; raises TlcError where they cannot say.

    Workers compute some states twice, so that `generated` may differ from that of one process;
    `distinct` and `depth` may not.
    """
    messages = Messages()
    with ExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tlc-")))
        command = _server(run, root / "server")
        server = stack.enter_context(_process(command, run.folder, subprocess.PIPE))
        for number, _, text in messages.read(iter(server.stdout or ())):
            if number == _SERVER_READY:
                for worker in range(run.workers):
                    command = _worker(run, root / f"worker{worker}")
                    stack.enter_context(_process(command, run.folder, subprocess.DEVNULL))
            elif number == PROGRESS and progress is not None:
                progress(text.strip())
    return result_of(run, messages.finished, "".join(messages.printed))
