"""One run: days of editors, decisions and commands, from a seed or a list of steps."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

from tests.proofs.machine import commands, components, decisions, editors
from tests.proofs.machine.book import Book, Days, Step
from tests.proofs.machine.stage import SETUPS, Stage

KINDS: Mapping[str, tuple[Callable[[Days, Step], None], int]] = {
    "origin_edits": (editors.origin_edits, 10),
    "origin_renames": (editors.origin_renames, 4),
    "origin_exchanges": (editors.origin_exchanges, 2),
    "origin_publishes": (editors.origin_publishes, 3),
    "origin_withdraws": (editors.origin_withdraws, 3),
    "origin_archives": (editors.origin_archives, 2),
    "origin_deletes": (editors.origin_deletes, 2),
    "editor_edits": (editors.editor_edits, 16),
    "editor_starts": (editors.editor_starts, 4),
    "editor_translates": (editors.editor_translates, 4),
    "editor_publishes": (editors.editor_publishes, 3),
    "editor_unpublishes": (editors.editor_unpublishes, 3),
    "editor_deletes": (editors.editor_deletes, 3),
    "decide_edit": (decisions.decide_edit, 5),
    "decide_moves": (decisions.decide_moves, 3),
    "decide_gone": (decisions.decide_gone, 5),
    "forget_decisions": (decisions.forget_decisions, 2),
    "design_moves": (decisions.design_moves, 1),
    "pull": (commands.pull, 3),
    "read": (commands.read, 3),
    "import": (commands.import_, 9),
    "delta": (commands.delta, 9),
    "import_killed": (commands.import_killed, 9),
    "roll_back": (commands.roll_back, 3),
    "roll_back_killed": (commands.roll_back_killed, 2),
    "rebuild": (commands.rebuild, 5),
    "both_edit": (editors.both_edit, 6),
    "origin_pictures": (editors.origin_pictures, 4),
    "origin_adds_field": (editors.origin_adds_field, 1),
    "accept_proposals": (commands.accept_proposals, 3),
    "editor_restores": (editors.editor_restores, 4),
    "editor_pictures": (editors.editor_pictures, 2),
    "editor_deletes_asset": (editors.editor_deletes_asset, 2),
    "editor_restores_asset": (editors.editor_restores_asset, 1),
    "developer_edits": (components.developer_edits, 4),
    "developer_deletes": (components.developer_deletes, 2),
    "design_labels": (components.design_labels, 3),
    "decide_conflict": (decisions.decide_conflict, 8),
    "decide_every_edit": (decisions.decide_every_edit, 2),
    "decide_component": (decisions.decide_component, 2),
    "decide_gone_thing": (decisions.decide_gone_thing, 3),
    "decide_publication": (decisions.decide_publication, 4),
    "decide_cleaning": (decisions.decide_cleaning, 4),
    "import_disturbed": (commands.import_disturbed, 6),
}


def steps_of(seed: int, count: int) -> tuple[str, list[Step]]:
    """Return the setup and the steps of a seed."""
    drawn = random.Random(seed)
    setup = drawn.choice(sorted(SETUPS))
    weights = [weight for _, weight in KINDS.values()]
    first = "import_killed" if drawn.random() < 0.4 else "delta"
    drawn_names = [first, *drawn.choices([*KINDS], weights, k=count - 2), "delta"]
    return setup, [
        Step(name, number, drawn.randrange(1000), drawn.randrange(1000))
        for number, name in enumerate(drawn_names)
    ]


def play(stage: Stage, steps: Sequence[Step]) -> int:
    """Play a run; return how many steps were done. Raises where a rule is broken."""
    days = Days(stage, Book(design=dict(components.DESIGN)))
    with stage.playing():
        for step in steps:
            KINDS[step.name][0](days, step)
    return len(steps)
