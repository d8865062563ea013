"""Starts a command and writes down what it took.

usage: launcher.py RESULT COMMAND...

A process of its own and a small one: on Linux the peak memory of a process counts
that of the process which started it, until it runs a program of its own.
"""

import contextlib
import glob
import json
import os
import sys
import threading
import time

_OFTEN = 0.2
"""Seconds between two looks at the memory of all processes."""


def main(result: str, command: list[str]) -> None:
    """Run the command; its figures go to the file `result`."""
    seen = [0]
    started = time.perf_counter()
    process = os.posix_spawnp(command[0], command, os.environ)
    threading.Thread(target=watch, args=(process, seen), daemon=True).start()
    _, status, used = os.wait4(process, 0)
    figures = {
        "code": os.waitstatus_to_exitcode(status),
        "seconds": time.perf_counter() - started,
        "cpu": used.ru_utime + used.ru_stime,
        "peak": used.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
        "together": seen[0],
    }
    with open(result, "w", encoding="utf-8") as file:
        json.dump(figures, file)


def watch(process: int, seen: list[int]) -> None:
    """Keep the most memory that the process and those below it held at once."""
    while os.path.exists(f"/proc/{process}"):
        seen[0] = max(seen[0], sum(map(resident, below(process))))
        time.sleep(_OFTEN)


def below(process: int) -> list[int]:
    """Return a process and all that it started, itself first."""
    found = [process]
    for each in found:
        for listed in glob.glob(f"/proc/{each}/task/*/children"):
            with contextlib.suppress(OSError), open(listed) as file:
                found += map(int, file.read().split())
    return found


def resident(process: int) -> int:
    """Return the bytes that a process holds and shares with no file."""
    try:
        with open(f"/proc/{process}/statm") as file:
            _, held, shared = file.read().split()[:3]
    except OSError:
        return 0
    return (int(held) - int(shared)) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
