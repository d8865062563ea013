"""Serve an observed sandbox: `python -m tests.support.sandbox`."""

from __future__ import annotations

import argparse
import gc
import json
import signal
from pathlib import Path

from cmsmig.sandbox.options import SandboxOptions
from tests.support.sandbox.observed import running_sandbox


def main() -> None:
    """Serve until SIGTERM; the first line of standard output says where."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--content", type=Path)
    parser.add_argument("--rate", type=int, default=6)
    parser.add_argument("--origin-rate", type=int, default=60)
    parser.add_argument("--language", action="append", default=[], dest="languages")
    given = vars(parser.parse_args())
    languages = tuple(given.pop("languages"))
    signals = (signal.SIGINT, signal.SIGTERM)
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    gc.freeze()
    gc.set_threshold(20_000, 50, 100)
    with running_sandbox(SandboxOptions(**given, languages=languages)) as handle:
        print(json.dumps(handle.announcement), flush=True)
        signal.sigwait(signals)


if __name__ == "__main__":
    main()
