"""Cases in data files: a project and its space, step by step.

A case has what is `given`, its `steps` and, if it is played several times, `rows` of
values for the `$words` in it. A step is a command line, one of the other
steps without an argument, a mapping that begins with the name of a step, or a list of
steps. They are the functions of the other modules here, `run` and `meanwhile`.
"""

from __future__ import annotations

import asyncio
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from cmsmig.sandbox.http.asgi import Call, Next, Reply
from tests.support.cases import entries
from tests.support.steps.expectations import (
    Loader,
    Word,
    difference,
    insist,
    listed,
    text_of,
)
from tests.support.steps.faults import Fault
from tests.support.steps.scenario import (
    answers,
    changes,
    decisions,
    editors,
    files,
    languages,
    looks,
    reports,
    schemas,
    service,
)
from tests.support.steps.scenario.first_command import FirstCommands
from tests.support.steps.staged_project import Stage, StagedProject


@dataclass(frozen=True)
class Case:
    """One case of a file."""

    name: str
    given: dict[str, Any]
    steps: list[Any]

    def __str__(self) -> str:
        return self.name


def cases(*paths: Path) -> Iterator[Case]:
    """Yield the cases of all files."""
    for path in paths:
        for title, entry, row in entries(path, Loader):
            given, steps = _filled([entry.get("given", {}), entry["steps"]], row)
            yield Case(f"{path.stem}: {title}", given, steps)


def _filled(value: Any, row: dict[str, Any]) -> Any:
    """Return a part of a case with the values of a row for its words."""
    if isinstance(value, dict):
        return {_filled(key, row): _filled(each, row) for key, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, row) for each in value]
    if isinstance(value, Word):
        return Word(value.tag, _filled(value.argument, row))
    if not isinstance(value, str):
        return value
    if value.removeprefix("$") in row and value.startswith("$"):
        return row[value.removeprefix("$")]
    for word, replacement in row.items():
        value = value.replace(f"${word}", str(replacement))
    return value


@dataclass
class Meanwhile:
    """A middleware that acts just before a request is answered, once."""

    acts: dict[str, Callable[[], None]] = field(default_factory=dict)
    """By a pattern of method, path and body."""

    async def __call__(self, call: Call, answer: Next) -> Reply:
        asked = f"{call.method} {call.raw_path} {call.body.decode(errors='replace')}"
        with_query = f"{call.method} {call.raw_path}?{urlencode(call.query)}"
        for request in [*self.acts]:
            if re.search(request, asked.strip()) or re.search(request, with_query):
                # They ask the same server.
                await asyncio.to_thread(self.acts.pop(request))
        return await answer(call)


@dataclass
class Scenario:
    """A case that is played."""

    project: StagedProject
    faults: list[Fault]
    meanwhile: Meanwhile
    answers: answers.Answers
    clock: reports.Clock
    mark: int = 0
    """The last request before the last command."""
    hash: str = ""
    """Of the last plan that was shown."""
    printed: str = ""
    """By the last command."""
    document: Any = None
    """Of the last command that was asked for JSON."""
    remembered: dict[str, Any] = field(default_factory=dict)
    patches: ExitStack = field(default_factory=ExitStack)
    """What is other than it is, until the end or before."""

    def take(self, step: Any) -> None:
        """Do one step."""
        if isinstance(step, list):
            for each in step:
                self.take(each)
            return
        if isinstance(step, str):
            step = {"run": step} if is_command(step) else {step: None}
        (name, argument), *options = step.items()
        more = {key.replace(" ", "_"): self.value(each) for key, each in options}
        given = self.value(argument)
        STEPS[name.lower()](self, *([] if given is None else listed(given)), **more)

    def value(self, value: Any) -> Any:
        """Return a part of a step with the values that only a run knows."""
        if isinstance(value, dict):
            return {key: self.value(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self.value(each) for each in value]
        if not isinstance(value, Word):
            return value
        if value.tag in looks.VALUES:
            return looks.VALUES[value.tag](self, value.argument)
        return Word(value.tag, self.value(value.argument))


def run(
    scenario: Scenario,
    command: str,
    *,
    flags: Sequence[str] = (),
    code: Any = 0,
    says: Any = "",
    lacks: str = "",
    lines: int | None = None,
    json: Any = None,
    calls: Any = None,
    as_planned: bool = False,
) -> None:
    """Run a command, and insist on how it ends.

    `says` is in what it prints and `lacks` is not; `json` is expected of its document,
    and `calls` of its requests by route and by method; with `as_planned` its plan named
    how many they are.
    """
    project = scenario.project
    name, *arguments = [*shlex.split(command), *flags]
    if as_planned:
        plan = ["rollback", "--plan"] if name == "rollback" else ["plan"]
        shown = project.run(*plan, *arguments, "--json").document["calls"]
    scenario.mark = project.mark()
    as_json = [] if json is None else ["--json"]
    ended = project.run(name, *arguments, *as_json)
    scenario.printed = printed = ended.out + ended.err
    assert not difference(ended.code, code), f"{ended.code}: {printed}"
    for text in listed(says):
        assert text in printed, printed
    assert not lacks or lacks not in printed, printed
    assert lines in (None, printed.count("\n")), printed
    if json is not None:
        scenario.document = ended.document
        scenario.hash = ended.document.get("hash", scenario.hash)
        insist(ended.document, json)
    if calls is not None:
        looks.requests(scenario, calls)
    if as_planned:
        assert project.calls(scenario.mark) == shown["total"]


def meanwhile(scenario: Scenario, request: str, *, do: list[Any]) -> None:
    """Do steps before the next request of a pattern is answered."""

    def act() -> None:
        for step in do:
            scenario.take(step)

    scenario.meanwhile.acts[request] = act


MODULES = (
    *(answers, changes, decisions, editors, files),
    *(languages, looks, reports, schemas, service),
)


def steps_of(names: Mapping[str, Any]) -> Iterator[tuple[str, Callable[..., None]]]:
    """Yield the steps of a module: its public functions that take the scenario and
    return nothing; the words of a step are those of the name."""
    for name, each in names.items():
        types = getattr(each, "__annotations__", {})
        is_step = (types.get("scenario"), types.get("return")) == ("Scenario", "None")
        if is_step and not name.startswith("_"):
            yield name.replace("_", " "), each


STEPS: dict[str, Callable[..., None]] = {
    "run": run,
    "meanwhile": meanwhile,
    **{word: each for module in MODULES for word, each in steps_of(vars(module))},
}


def is_command(step: Any) -> bool:
    """Return whether a step is a command line."""
    return isinstance(step, str) and step.lower() not in STEPS


def play(
    case: Case,
    stage: Stage,
    content_of: Callable[[str], Path],
    first: FirstCommands,
) -> None:
    """Start what is given, and take all steps."""
    given = dict(case.given)
    faults = [changes.fault(**each) for each in given.pop("faults", ())]
    between, decided = Meanwhile(), given.pop("decided", ())
    content = content_of(given.pop("site", "tiny"))
    replies, time = answers.Answers(list(given.pop("answers", ()))), reports.Clock()
    middleware = (*faults, between, replies)
    if given.pop("clock", False):
        given["clock"] = time
    given["languages"] = tuple(given.pop("languages", ()))
    project = stage(*middleware, content=content, **given)
    scenario = Scenario(project, faults, between, replies, time)
    decisions.decided(scenario, *decided)
    with scenario.patches:
        for number, step in enumerate(case.steps, start=1):
            try:
                if number == 1 and is_command(step):
                    first.take(scenario, case)
                else:
                    scenario.take(step)
            except BaseException as failure:
                failure.add_note(f"Step {number} of the case: {text_of(step)}")
                raise
    assert not between.acts, f"not asked for: {[*between.acts]}"
