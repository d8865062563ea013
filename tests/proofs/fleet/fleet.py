"""Six sites, two machines, one engine: what the example in examples/fleet promises.

usage: fleet.py [--short]

A Prefect server and two workers run as processes on loopback, each worker with a
request budget of its own, as two machines have. Six sites go to five spaces: one is
killed in the middle of its import, one lacks decisions, two go to the same space. The
table of the end, from the engine; who wrote to each space when, from the sandbox.
Afterwards a person decides and resumes the site that waits. `--short`: two sites of
one space, one worker.

Exits with 1 when a promise is broken. The logs stay in build/fleet.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time

from tests.proofs.fleet.engine import (
    ROOT,
    Engine,
    left_running,
    processes_of,
    running_engine,
)
from tests.proofs.fleet.world import RATE, Kind, World, serving
from tests.proofs.measuring.results import broken, print_table, wait_for

KILLED, WAITS = "canal", "dunes"
SHARED = 5004
SITES = (
    Kind("elm-street", SHARED),
    Kind("fir-street", SHARED, records=True),
    Kind(KILLED, 5003),
    Kind(WAITS, 5005, decided=False),
    Kind("abbey", 5001),
    Kind("brewery", 5002),
)
SHORT = SITES[:2]
WRITES_BEFORE_THE_KILL = 40
MINUTES = 25
WORK = ROOT / "build" / "fleet"


def main() -> int:
    """Run the fleet; return the exit code."""
    chosen = _arguments()
    kinds = SHORT if chosen.short else SITES
    machines = ("machine-1",) if chosen.short else ("machine-1", "machine-2")
    # So that a stop of this process stops all that it has started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    shutil.rmtree(WORK, ignore_errors=True)
    begun = time.monotonic()
    check_types()
    with serving(WORK, kinds) as world:
        with running_engine(WORK / "engine", machines) as engine:
            wrong = play(engine, world, kinds)
        left = left_running(engine)
    wrong += broken({f"nothing is left running ({left})": not left})
    print(f"took {time.monotonic() - begun:.0f} s; logs in {WORK}")
    for what in wrong:
        print(f"BROKEN {what}")
    return 1 if wrong else 0


def check_types() -> None:
    """Check the example with what is installed for it alone."""
    python = ROOT / ".venv-fleet" / "bin" / "python"
    mypy = [sys.executable, "-m", "mypy", "--python-executable", str(python)]
    subprocess.run([*mypy, "examples/fleet"], cwd=ROOT, check=True)


def play(engine: Engine, world: World, kinds: tuple[Kind, ...]) -> list[str]:
    """Run all sites to the table, then what waits; return what is wrong."""
    engine.call("python", "register.py", str(world.folder / "fleet.toml"))
    engine.call("prefect", "deployment", "run", "all-sites/all-sites")
    names = [kind.name for kind in kinds]
    if KILLED in names:
        kill_in_the_middle(world)
    wait_for(lambda: finished(engine), "all sites have ended", MINUTES * 60, every=5)
    rows = engine.table()
    print_table(rows)
    wrong = judge_states(engine, rows, names)
    for space in sorted({kind.space for kind in kinds}):
        wrong += judge_space(world, space)
    wrong += judge_shared(engine, world)
    if WAITS in names:
        wrong += resume(engine, world)
    return wrong


def kill_in_the_middle(world: World) -> None:
    """End all processes of one site's run at once, in the middle of its import."""
    space = next(kind.space for kind in SITES if kind.name == KILLED)
    wait_for(
        lambda: len(world.writes(space)) >= WRITES_BEFORE_THE_KILL,
        f"{KILLED} has written {WRITES_BEFORE_THE_KILL} times",
        MINUTES * 60,
    )
    victims = processes_of(world.project(KILLED))
    for pid in victims:
        os.kill(pid, signal.SIGKILL)
    print(f"killed {KILLED} ({len(victims)} processes) in the middle of its import")


def finished(engine: Engine) -> bool:
    """Tell whether the run that makes the table has ended."""
    run = engine.runs().get("all-sites")
    return run is not None and run["state_type"] in ("COMPLETED", "FAILED", "CRASHED")


def judge_states(engine: Engine, rows: list[dict], names: list[str]) -> list[str]:
    """Return what is wrong with how the sites ended."""
    by_name = {row["site"]: row for row in rows}
    state = {name: row["state"] for name, row in by_name.items()}
    wrong = broken({"the table has each site": [*by_name] == names})
    for name in names:
        wanted = "Suspended" if name == WAITS else "Completed"
        wrong += broken({f"{name} is {wanted}": state.get(name) == wanted})
    if KILLED in by_name:
        killed = by_name[KILLED]
        states = [s["name"] for s in engine.states(engine.runs()[KILLED])]
        print(f"{KILLED}: {' > '.join(states)}")
        wrong += broken(
            {
                "what was killed is run again": killed["attempts"] == 2,
                "and has everything": (killed["created"], killed["open"]) == (47, 0),
            }
        )
    if WAITS in by_name:
        message = by_name[WAITS]["what to do"]
        wrong += broken({"it says what it waits for": "ecisions are miss" in message})
    return wrong


def judge_space(world: World, space: int) -> list[str]:
    """Return what is wrong with the requests that a space got."""
    summary = world.summary(space)
    fullest, refused = summary["fullest_second"], summary["refused_for_rate"]
    calls = summary["quota"]
    print(f"space {space}: {calls} calls, fullest second {fullest}, 429s {refused}")
    return broken(
        {
            f"no second of space {space} holds more than {RATE}": fullest <= RATE,
            f"space {space} refuses nothing": refused == 0,
        }
    )


def judge_shared(engine: Engine, world: World) -> list[str]:
    """Return what is wrong with the two sites of one space."""
    turns = world.turns(SHARED)
    zero = turns[0][1] if turns else 0.0
    for content, begin, end, calls in turns:
        seconds = f"{begin - zero:.1f} to {end - zero:.1f}"
        print(f"  {content}: {calls} writes, second {seconds}")
    first, second = (engine.runs()[kind.name] for kind in SHORT)
    at_once = max(first["start_time"], second["start_time"]) < min(
        first["end_time"], second["end_time"]
    )
    ran_on = {kind.name: machine_of(kind.name) for kind in SHORT}
    print(f"  both runs were active at once: {at_once}; on {ran_on}")
    return broken(
        {
            "both sites of one space were active at once": at_once,
            "each wrote to it in one turn": sorted(t[0] for t in turns)
            == ["notes", "records"],
        }
    )


def machine_of(name: str) -> str:
    """Return which worker's log tells that a site began."""
    logs = sorted(WORK.glob("machine-*.log"))
    line = f"'{name}' - Beginning"
    return next((log.stem for log in logs if line in log.read_text()), "?")


def resume(engine: Engine, world: World) -> list[str]:
    """Decide what is missing and resume the run, as a person does on the page."""
    run = engine.runs()[WAITS]
    world.decide(WAITS)
    engine.ask(f"/flow_runs/{run['id']}/resume", {})
    wait_for(
        lambda: engine.runs()[WAITS]["state_type"] in ("COMPLETED", "FAILED"),
        f"{WAITS} has ended",
        MINUTES * 60,
        every=5,
    )
    states = [state["name"] for state in engine.states(run)]
    print(f"{WAITS}: {' > '.join(states)}")
    return broken(
        {"what waited is done after its decisions": states[-1] == "Completed"}
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--short", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
