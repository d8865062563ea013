"""The flows: one site, and all of them with a table at the end."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NoReturn, cast
from uuid import UUID

from command import read_status, run_cmsmig
from outcomes import Outcome, Then, bounded, outcome_of
from prefect import flow, get_client, get_run_logger
from prefect.artifacts import create_markdown_artifact, create_table_artifact
from prefect.client.schemas.objects import FlowRun, State
from prefect.client.schemas.responses import SetStateStatus
from prefect.concurrency.sync import concurrency
from prefect.deployments import run_deployment
from prefect.exceptions import Pause
from prefect.runtime import flow_run
from prefect.states import AwaitingRetry, Completed, Failed, Pending, Suspended

SECONDS_FOR_A_PERSON = 30 * 24 * 3600
"""After this a run that was not resumed counts as failed."""
LEASE = 1200.0
"""Seconds after which the space of a machine that died is free for others.

Prefect renews a lease after three quarters of it, gives up on a server that is away
some 210 seconds later, and cmsmig then gets a minute to stop: all before the end.
"""
STARTS = 3
"""How often the table's flow starts a site whose machine or process died."""
COUNTS = ("in", "created", "reused", "skipped", "failed", "open")


@flow(name="site", flow_run_name="{name}")
def migrate_site(
    name: str,
    project: str,
    space: int,
    limit: str,
    command: list[str],
    target: str = "",
    seconds_between: int = 30,
    seconds_while_locked: int = 900,
    attempts: int = 8,
) -> State:
    """Run cmsmig on one site; the state says what follows from its exit code."""
    reports = Path(project) / "reports"
    arguments = list(command)
    if "run" in arguments:
        arguments += ["--reports", str(reports), "--run-id", _run_folder()]
    # `strict`: no limit of this name, no run; and no run without its slot.
    with concurrency(limit, strict=True, lease_duration=LEASE):
        ended = run_cmsmig(project, space, arguments, get_run_logger().info, target)
    status = read_status(project, space, target)
    outcome = bounded(
        outcome_of(ended.code, ended.complaint), flow_run.run_count, attempts
    )
    create_markdown_artifact(
        _as_markdown(name, ended.code, outcome, status, reports / _run_folder()),
        key=f"site-{name}",
        description=outcome.then.value,
    )
    waits = {Then.RUN_AGAIN: seconds_between, Then.RUN_LATER: seconds_while_locked}
    state = state_of(outcome, waits.get(outcome.then, 0))
    return state if state.is_final() else _let_go(state)


def _let_go(state: State) -> NoReturn:
    """End this process and leave the run in a state from which it continues later.

    A flow can only return final states; `Pause` ends its process for any other, once
    the server knows it.
    """
    with get_client(sync_client=True) as client:
        answer = client.set_flow_run_state(UUID(str(flow_run.id)), state)
    if answer.status is not SetStateStatus.ACCEPT:
        raise RuntimeError(f"The server does not accept {state.name}: {answer.details}")
    raise Pause(state=answer.state)


def state_of(outcome: Outcome, seconds: int) -> State:
    """Return the engine's state for an outcome; `seconds` is when to run it again."""
    message = outcome.message
    match outcome.then:
        case Then.DONE:
            return Completed(message=message)
        case Then.WAIT_FOR_PERSON:
            return Suspended(message=message, timeout_seconds=SECONDS_FOR_A_PERSON)
        case Then.RUN_AGAIN | Then.RUN_LATER:
            again = datetime.now(UTC) + timedelta(seconds=seconds)
            return AwaitingRetry(message=message, scheduled_time=again)
        case Then.FAIL:
            return Failed(message=message)
        case Then.STOP:
            return Failed(name="Stopped", message=message)


@flow(name="all-sites", flow_run_name="all-sites")
def migrate_all(names: list[str], seconds_between_looks: int = 10) -> None:
    """Start all sites, wait until each is done or waits for a person, make a table."""
    runs = {name: _start(name) for name in names}
    starts = dict.fromkeys(names, 1)
    while not all(_is_settled(run) for run in runs.values()):
        time.sleep(seconds_between_looks)
        for name, run in runs.items():
            runs[name] = _look(run.id)
            if _state(runs[name]).is_crashed() and starts[name] < STARTS:
                starts[name] += 1
                runs[name] = _start(name)
    create_table_artifact(
        [_row(name, run, starts[name]) for name, run in runs.items()],
        key="all-sites",
        description=f"{len(names)} sites",
    )


def _start(name: str) -> FlowRun:
    # Not as a part of this run: the engine suspends no part without the whole.
    started = run_deployment(f"site/{name}", timeout=0, as_subflow=False)
    return cast("FlowRun", started)


def _look(run: UUID) -> FlowRun:
    with get_client(sync_client=True) as client:
        return client.read_flow_run(run)


def _is_settled(run: FlowRun) -> bool:
    return bool(_state(run).is_final() or _state(run).is_paused())


def _state(run: FlowRun) -> State:
    return run.state or Pending()


def _row(name: str, run: FlowRun, starts: int) -> dict[str, Any]:
    parameters = run.parameters
    place = (parameters["project"], parameters["space"], parameters.get("target", ""))
    accounting = _accounting(read_status(*place))
    return {
        "site": name,
        "space": parameters["space"],
        "state": _state(run).name,
        "attempts": run.run_count + starts - 1,
        "minutes": round(run.total_run_time.total_seconds() / 60, 1),
        **{key: accounting.get(key, "") for key in COUNTS},
        "what to do": "" if _state(run).is_completed() else _state(run).message,
    }


def _accounting(status: Mapping[str, object]) -> Mapping[str, object]:
    found = status.get("accounting")
    return found if isinstance(found, dict) else {}


def _run_folder() -> str:
    """Return the name of the folder of this attempt's notebooks and report."""
    return f"{str(flow_run.id)[:8]}-{flow_run.run_count}"


def _as_markdown(
    name: str, code: int, outcome: Outcome, status: Mapping[str, object], reports: Path
) -> str:
    accounting = _accounting(status)
    counts = [f"| {key} | {accounting[key]} |" for key in COUNTS if key in accounting]
    report = next(iter(reports.glob("report.html")), None)
    where = f"`{report}`" if report else "none was written"
    lines = [f"# {name}: {outcome.then.value}", "", f"Exit code {code}.", ""]
    # Indented, as code: names in it come from the site and are no markup.
    lines += [f"    {' '.join(outcome.message.split())}", ""]
    lines += ["| items | |", "|---|---|", *counts, "", f"Report: {where}"]
    return "\n".join(lines)
