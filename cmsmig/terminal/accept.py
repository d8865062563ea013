"""Proposals accepted on the command line, and what is said about it."""

from __future__ import annotations

import asyncio
import sys

from cmsmig.canonical import JsonObject
from cmsmig.counting import noun_for
from cmsmig.errors import UsageError
from cmsmig.richtext.blocks.proposals import Heuristic, Heuristics
from cmsmig.settings import Project, Settings
from cmsmig.steps.baseline.baseline_addresses import baseline_addresses
from cmsmig.steps.decide.accept_proposals import Accepted, accept_proposals
from cmsmig.terminal.console import emit_json, emit_lines
from cmsmig.terminal.progress import Progress


def accept(
    project: Project,
    settings: Settings,
    reviewer: str,
    splits: tuple[tuple[str, ...], int | None],
    *,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Write the proposals as decisions and print what was written.

    `splits` are the rules that split bodies, and the level of headings that do.
    Raises `UsageError` for a level without headings, and what `accept_proposals`
    raises.
    """
    rules, level = splits
    on = frozenset(Heuristic(rule) for rule in rules)
    if level is not None and Heuristic.HEADINGS not in on:
        raise UsageError(
            "--heading-level counts only beside --split headings; give both or neither."
        )
    heuristics = Heuristics(on, level or Heuristics().heading_level)
    done = asyncio.run(
        accept_proposals(
            project,
            settings,
            reviewer=reviewer,
            observer=Progress(sys.stderr),
            overwrite=overwrite,
            heuristics=heuristics if on else None,
            others=baseline_addresses(project),
        )
    )
    emit_json(accepted_json(done)) if as_json else emit_lines(accepted_lines(done))


def accepted_json(done: Accepted) -> JsonObject:
    """Return the document that `decide --json` prints."""
    return {
        "written": [str(path) for path in done.written],
        "bodies_accepted": done.bodies,
        "added": [each.as_json() for each in done.added],
        "to_decide": list(done.to_decide),
    }


def accepted_lines(done: Accepted) -> list[str]:
    """Return the files that were written, what is new in those that were there, and
    how many bodies were accepted."""
    lines = [f"{path} written" for path in done.written]
    if done.added:
        lines.append(f"added: {'; '.join(map(str, done.added))}")
    elif not done.written:
        lines.append("nothing is missing: everything that was pulled is decided")
    lines += [f"to decide: {sentence}" for sentence in done.to_decide]
    if done.bodies:
        noun = noun_for(done.bodies, "body", "bodies")
        lines.append(f"blocks of {done.bodies} {noun} accepted in bulk")
    return lines
