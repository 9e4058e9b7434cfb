"""`dart-core cluster`: the audit of a folder or an object store's prefix on many machines."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

import msgspec
from attrs import asdict

from dart_tools.audit import exit_code
from dart_tools.errors import DartError

__all__ = ["HELP", "configure", "run"]

HELP = "Audit all traces below an address on a Dask cluster and print the totals."


def configure(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.add_argument("url", metavar="URL", help="a folder, or what fsspec can list: s3://…")
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="of a running cluster; none is a local one"
    )
    parser.add_argument(
        "--workers", type=int, default=2, metavar="N", help="processes of the local cluster"
    )
    parser.add_argument(
        "--strict", action="store_true", help="exit 1 also for early and missed recoveries"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the errors and the totals; see `exit_code` for what it yields."""
    try:
        distributed = import_module("distributed")
        cluster = import_module("dart_tools.cluster")
    except ImportError as error:
        message = f"this needs the extra: pip install 'dart-core[cluster]' ({error})"
        raise DartError(message) from None
    options = {"n_workers": arguments.workers, "threads_per_worker": 1, "dashboard_address": ":0"}
    place = {"address": arguments.scheduler} if arguments.scheduler else options
    with distributed.Client(**place) as client:
        found = cluster.audit_prefix(client, arguments.url)
    for line in found.errors:
        print(f"dart-core: {line}", file=sys.stderr)
    sys.stdout.write(msgspec.json.encode({"totals": asdict(found.totals)}).decode() + "\n")
    return exit_code(found.totals, strict=arguments.strict)
