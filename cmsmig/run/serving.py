"""`cmsmig sandbox`: both services until a signal ends them."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import stat
from pathlib import Path

from cmsmig.canonical import Json
from cmsmig.errors import UsageError
from cmsmig.plain_file import for_oneself, read_plain
from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import environment_file_text, serve

_YOUNG = 20_000
"""Objects after which unreachable ones are looked for: some bodies' worth."""


def read_faults(path: Path) -> Json:
    """Return what a plan of faults holds. Raises `UsageError` naming the file."""
    try:
        plan: Json = json.loads(read_plain(path))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(
            f"The plan of faults {path} cannot be read as JSON ({error}); correct it "
            "or leave --faults out."
        ) from error
    return plan


def serve_until_stopped(options: SandboxOptions, env_file: Path | None) -> None:
    """Serve, announce it as one JSON line on standard output, end on a signal.

    Writes `env_file`, settings that point at the sandbox. Raises what `serve`
    raises.
    """

    def announce(announcement: dict[str, str]) -> None:
        if env_file is not None:
            text = environment_file_text(announcement, options.rate)
            _write_for_oneself(env_file, text)
        print(json.dumps(announcement), flush=True)

    async def run() -> None:
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, ended.set)
        await serve(options, announce=announce, stop=ended)

    # What a process serves for hours is not looked through for each few bodies.
    gc.freeze()
    gc.set_threshold(_YOUNG, 50, 100)
    asyncio.run(run())


def _write_for_oneself(path: Path, text: str) -> None:
    """Replace a file that holds tokens; nobody else may open it."""
    with open(path, "w", encoding="utf-8", opener=for_oneself) as file:
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            os.fchmod(file.fileno(), 0o600)  # It may have been there before.
        file.write(text)
