"""Mutated bodies through the converter: nothing raises, hangs, crawls or is lost.

usage: fuzz.py [--count N] [--seed WORD] [--minutes M] [--state FOLDER] [--only I]
       fuzz.py --extremes [NAME] [--share N]

Input number I of a seed is always the same text. Work goes on where it stopped,
from the start when the converter has changed since; a child process does it, so
that what hangs or dies costs one input. With `--extremes`, bodies that are too
much of something, at full size and at half of it: done, nothing lost, no more
than linear. Then every construct of bodies and field values on every path, up to
256 KB, one in `--share` of them: the exponent is 1.2 or less. Exits 1 with findings.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import signal
import statistics
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path

from tests.support.richtext.extremes import EXTREMES, Extreme
from tests.support.richtext.mutation import mutated, seeds

ROOT = Path(__file__).resolve().parents[3]
HANG = 90.0
"""Seconds after which an input counts as one that hangs."""
SLOW = 100
"""How many times the median time per byte is too slow."""
FLOOR = 1000
"""Bytes that every input counts for at least: starting costs something, too."""
SAMPLES = 20_000
WORST = 15


def main() -> int:
    """Go on with the work, report, and return the exit code."""
    options = _options()
    os.nice(19)
    if options.extremes is not None:
        bad = _extremes(options.extremes) + _growing(options.extremes, options.share)
        return int(bad > 0)
    if options.only is not None:
        return _shown(options.seed, options.only)
    options.state.mkdir(parents=True, exist_ok=True)
    path = options.state / f"{options.seed}.json"
    state = _state(path)
    ends = time.monotonic() + options.minutes * 60
    told = time.monotonic()
    while state["done"] < options.count and time.monotonic() < ends:
        _slice(state, options.seed, min(state["done"] + 500, options.count))
        path.write_text(json.dumps(state))
        if time.monotonic() - told > 15 or state["done"] >= options.count:
            told = time.monotonic()
            findings = len(state["findings"])
            print(
                f"{state['done']} of {options.count}, {findings} findings", flush=True
            )
    return _report(state, options.seed)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Fuzz the rich text converter.")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", default="one")
    parser.add_argument("--only", type=int, help="show one input made smaller")
    parser.add_argument("--extremes", nargs="?", const="", metavar="NAME")
    parser.add_argument("--share", type=int, default=25, help="measure one in N")
    parser.add_argument("--minutes", type=float, default=24 * 60.0)
    parser.add_argument("--state", type=Path, default=ROOT / "build" / "fuzz")
    return parser.parse_args()


def _state(path: Path) -> dict:
    code = hashlib.sha256()
    for each in sorted((ROOT / "cmsmig" / "richtext").rglob("*.py")):
        code.update(each.read_bytes())
    fresh = {"code": code.hexdigest()[:12], "done": 0, "bytes": 0, "seconds": 0.0,
             "findings": [], "times": {}, "worst": {}, "sizes": []}  # fmt: skip
    if path.is_file():
        held = json.loads(path.read_text())
        if held["code"] == fresh["code"]:
            return held
        print("The converter has changed: from the start again.", flush=True)
    return fresh


def _slice(state: dict, seed: str, to: int) -> None:
    """Work up to input `to`, whatever happens to the child."""
    here, there = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.Process(
        target=_work, args=(there, seed, state["done"], to, _limits(state))
    )
    child.start()
    there.close()
    while state["done"] < to:
        row = _received(here)
        if row is None:
            why = (
                "hangs" if child.is_alive() else f"ends the process ({child.exitcode})"
            )
            state["findings"].append([state["done"], why, ""])
            child.kill()
            child.join()
            state["done"] += 1
            return
        _note(state, row)
    child.join()


def _received(here: Connection, within: float = 2 * HANG) -> dict | None:
    try:
        return here.recv() if here.poll(within) else None
    except EOFError:
        return None


def _note(state: dict, row: dict) -> None:
    state["done"] = row["number"] + 1
    state["bytes"] += row["size"]
    state["findings"].extend(row["findings"])
    for kind, seconds in row["times"].items():
        state["seconds"] += seconds
        pace = seconds / max(row["size"], FLOOR)
        paces = state["times"].setdefault(kind, [])
        paces.append(pace)
        if len(paces) > SAMPLES:
            del paces[row["number"] % SAMPLES]
        worst = state["worst"].setdefault(kind, [])
        worst.append([pace, row["number"], row["size"]])
        worst.sort(reverse=True)
        del worst[WORST:]


def _limits(state: dict) -> dict[str, float]:
    """Return the pace from which on an input is measured again."""
    return {
        kind: SLOW / 4 * statistics.median(paces)
        for kind, paces in state["times"].items()
        if len(paces) >= 200
    }


def _work(out: Connection, seed: str, start: int, to: int, limits: dict) -> None:
    from tests.support.richtext.fuzzing import checks, work

    signal.signal(signal.SIGALRM, _hanging)
    pool = seeds(ROOT / "tests")
    for number in range(start, to):
        text = mutated(pool, seed, number)
        findings: list[list] = []
        times: dict[str, float] = {}
        signal.setitimer(signal.ITIMER_REAL, HANG)
        try:
            for kind, call in work(text, number):
                size = max(len(text.encode("utf-8", "surrogatepass")), FLOOR)
                began = time.process_time()
                made = call()
                times[kind] = time.process_time() - began
                for _ in range(4):
                    if times[kind] / size <= limits.get(kind, 1e9):
                        break
                    began = time.process_time()
                    call()
                    times[kind] = min(times[kind], time.process_time() - began)
                findings.extend(
                    [number, kind, found] for found in checks(kind, text, made)
                )
        except Exception as error:  # whatever it is, it is a finding
            told = f"{type(error).__name__}: {str(error)[:200]}"
            findings.append([number, "raises", told])
        signal.setitimer(signal.ITIMER_REAL, 0)
        size = len(text.encode("utf-8", "surrogatepass"))
        out.send({"number": number, "size": size, "times": times, "findings": findings})


def _hanging(_signal: int, _frame: object) -> None:
    raise TimeoutError(f"no end within {HANG:.0f} seconds")


def _extremes(name: str) -> int:
    """Measure each kind of excess; return how many have findings."""
    bad = 0
    print("| what | how much | MB | faithful s | to half | exact s | to half | |")
    print("|" + "---|" * 8)
    for extreme in EXTREMES:
        if name not in extreme.name:
            continue
        here, there = multiprocessing.Pipe(duplex=False)
        child = multiprocessing.Process(target=_excess, args=(there, extreme))
        child.start()
        there.close()
        row = _received(here, 900)
        child.kill()
        child.join()
        if row is None:
            row = {"cells": ["", "", "", "", ""], "found": ["hangs or dies"]}
        cells = [extreme.name, extreme.full, *row["cells"], "; ".join(row["found"])]
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)
        bad += bool(row["found"])
    print(f"{bad} findings")
    return bad


def _growing(name: str, share: int) -> int:
    """Measure how constructs grow and print the steepest; return how many are too
    steep."""
    from tests.support.richtext.constructs import KINDS, constructs
    from tests.support.richtext.growth import STEEPEST, Growth, measured, paths_of

    found: list[Growth] = []
    for kind in KINDS:
        named = [each for each in constructs(kind) if name in each.name]
        for each in named if name else named[::share]:
            for path, work in paths_of(each).items():
                found.append(measured(each, path, work))
                if found[-1].exponent > STEEPEST:
                    print("too steep:", found[-1].row(), flush=True)
    bad = sum(each.exponent > STEEPEST for each in found)
    print(f"{len(found)} constructs and paths, {bad} too steep; the steepest, slowest:")
    print("| exponent | KB | seconds | for a fourth | path | construct |")
    print("|" + "---|" * 6)
    steepest = sorted(found, key=lambda each: -each.exponent)[:WORST]
    slowest = sorted(found, key=lambda each: -each.seconds[0])[:WORST]
    for each in (*steepest, *slowest):
        print(each.row())
    return bad


def _excess(out: Connection, extreme: Extreme) -> None:
    from tests.support.richtext.fuzzing import excessive

    out.send(excessive(extreme))


def _shown(seed: str, number: int) -> int:
    """Print an input that has findings, and a smaller one with the first of them."""
    from tests.support.richtext.fuzzing import verdicts
    from tests.support.richtext.shrinking import smallest

    text = mutated(seeds(ROOT / "tests"), seed, number)
    found = verdicts(text, number)
    print(repr(text)[:2000], *found, sep="\n")
    if not found:
        return 0
    sort = found[0].split(" {")[0][:40]
    fails = lambda each: _has(verdicts(each, number), sort)  # noqa: E731
    small = smallest(text, fails, balanced=False)
    print("smaller:", repr(small), *verdicts(small, number), sep="\n")
    return 1


def _has(found: list[str], sort: str) -> bool:
    return any(each.startswith(sort) for each in found)


def _report(state: dict, seed: str) -> int:
    slow = []
    print(
        f"seed {seed}, converter {state['code']}: {state['done']} inputs, "
        f"{state['bytes'] / 1e6:.1f} MB, {state['seconds']:.0f} s of conversion"
    )
    for kind, paces in sorted(state["times"].items()):
        median = statistics.median(paces)
        print(f"{kind}: median {median * 1e9:.0f} ns a byte; worst, in medians:")
        for pace, number, size in state["worst"][kind][:5]:
            print(f"  {pace / median:7.1f}  input {number} ({size} bytes)")
        slow += [
            [number, kind, f"{pace / median:.0f} medians"]
            for pace, number, _ in state["worst"][kind]
            if pace > SLOW * median
        ]
    for number, kind, what in [*slow, *state["findings"]][:40]:
        print(f"FOUND input {number}: {kind}: {what}")
    print(f"{len(state['findings'])} findings, {len(slow)} too slow")
    return int(bool(slow or state["findings"]))


if __name__ == "__main__":
    sys.exit(main())
