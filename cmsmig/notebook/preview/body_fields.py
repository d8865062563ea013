"""The bodies of each field: how many lose something and what, how they are stored, and
the choice of it: in one piece, or as blocks of some rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from markupsafe import Markup

from cmsmig.errors import UsageError
from cmsmig.mapping.decisions.choices import BodyChoice, BodyMode
from cmsmig.notebook.kit.finding_table import FindingTable, FindingWords
from cmsmig.notebook.preview.previews import LOSSES, Previews
from cmsmig.review.body_index import BodyIndex
from cmsmig.richtext.blocks.block_runs import Heuristic, Heuristics
from cmsmig.ui.controls import bar, select, tick, words
from cmsmig.ui.html.safe_html import NOTHING, joined, note, sheet, table
from cmsmig.ui.view import View, action

_MODES = (
    ("one rich text field", str(BodyMode.ONE_RICHTEXT)),
    ("blocks", str(BodyMode.BLOCKS)),
)
_LABELS = {
    Heuristic.HEADINGS: "headings",
    Heuristic.IMAGES: "lone pictures",
    Heuristic.EMBEDS: "embeds",
    Heuristic.TABLES: "tables",
    Heuristic.QUOTES: "quotes",
    Heuristic.CODE: "code",
    Heuristic.GALLERIES: "galleries",
}
_LEVELS = [(f"level 1 to {n}" if n > 1 else "level 1", str(n)) for n in range(1, 7)]
_HEAD = ("Collection", "Field", "Stored as", "Bodies", "With losses", "Of content")
_ALL = "all"
_WORDS = FindingWords(
    prefix="losses",
    title="What bodies lose, one by one",
    nouns=LOSSES,
    not_yet="No loss is found so far.",
    left_out="Bodies that are not looked through yet are left out.",
)


def fields_html(previews: Previews) -> Markup:
    """Return the fields that hold bodies as a table: how these are stored, how many
    there are, and how many of the scanned ones lose something."""
    index = previews.body_index
    places = [(e.collection.collection_id, e.design.origin) for e in index.bodies]
    digests = index.digests.items()
    bodies = Counter(places)
    losing = Counter(places[n] for n, each in digests if each.losses)
    of_content = Counter(places[n] for n, each in digests if each.content)
    rows = []
    for each in previews.blocks.bodies:
        place = (each.collection_id, each.field)
        counts = (bodies[place], losing[place], of_content[place])
        rows.append((previews.name_of(each), each.field, _stored(each), *counts))
    return sheet(scanned_html(index), table(_HEAD, rows))


def scanned_html(body_index: BodyIndex) -> Markup:
    """Return how many bodies were scanned, while it is not all of them."""
    known, bodies = len(body_index.digests), len(body_index.bodies)
    if known == bodies:
        return NOTHING
    return note(
        f"{known:,} of {bodies:,} bodies are looked through so far; the counts grow."
    )


def _stored(choice: BodyChoice) -> str:
    """Return how a field's bodies are stored, in words."""
    if choice.mode is BodyMode.ONE_RICHTEXT:
        return "one rich text"
    rules = choice.heuristics
    names = [str(each) for each in Heuristic if each in rules.on]
    listed = ", ".join(names) or "nothing yet"
    levels = f"headings 1 to {rules.heading_level}"
    return f"blocks, split at: {listed.replace('headings', levels)}"


class LossTable(FindingTable):
    """The list of losses, which follows the choices."""

    def __init__(self, previews: Previews) -> None:
        self._previews = previews
        rows = previews.losses
        super().__init__(_WORDS, previews.workspace.list_source(rows), rows)
        self.begin_with(previews.new)

    @property
    def complete(self) -> bool:
        """Return whether all bodies were scanned."""
        return self._previews.scanner.tally().complete

    def above(self) -> Markup:
        """Return how many bodies were scanned, while it is not all of them."""
        return sheet(scanned_html(self._previews.body_index))

    def opened(self) -> None:
        """Follow the choices, and scan the bodies."""
        self._previews.follow("bodies", self)


class FieldChoices(View):
    """One field's choices at a time, and a table of all; each is written at once."""

    prefix = "blocks"
    label = "How bodies are stored"

    def __init__(self, previews: Previews) -> None:
        super().__init__()
        self._previews = previews
        self._review = previews.review
        self._at = "0"
        """The place of the chosen field, or all of them."""

    def opened(self) -> None:
        """Follow the choices of other panels and the scan."""
        self._previews.follow("fields", self)

    @property
    def _choices(self) -> tuple[BodyChoice, ...]:
        return self._previews.blocks.bodies

    @action("blocks-field")
    def _field(self, value: str) -> None:
        self._at = value
        self.show()

    @action("blocks-mode")
    def _mode(self, value: str) -> None:
        if value:
            self._choose(lambda now: (BodyMode(value), now.heuristics))

    @action("blocks-rule")
    def _rule(self, value: str) -> None:
        name, _, on = value.partition("=")
        rule = {Heuristic(name)}

        def changed(now: BodyChoice) -> tuple[BodyMode, Heuristics]:
            rules = now.heuristics
            ticked = rules.on | rule if on == "1" else rules.on - rule
            return now.mode, Heuristics(ticked, rules.heading_level)

        self._choose(changed)

    @action("blocks-level")
    def _level(self, value: str) -> None:
        self._choose(lambda now: (now.mode, Heuristics(now.heuristics.on, int(value))))

    def _chosen(self) -> tuple[BodyChoice, ...]:
        if self._at == _ALL:
            return self._choices
        return (self._choices[min(int(self._at), len(self._choices) - 1)],)

    def _choose(
        self, changed: Callable[[BodyChoice], tuple[BodyMode, Heuristics]]
    ) -> None:
        if not self._choices:
            raise UsageError("No field that is imported holds rich text.")
        for each in self._chosen():
            self._review.choose(each.collection_id, each.field, *changed(each))
        self._previews.scanner.forget()
        self.show()
        self._previews.tell("fields")

    def html(self, *, live: bool) -> Markup:
        """Return the choices about a field, and the table of all fields."""
        if not self._choices:
            said = note("No field that is imported holds rich text.")
            return self.panel(choices=sheet(said))
        chosen = self._chosen()
        return self.panel(
            choices=self._controls(chosen),
            table=fields_html(self._previews),
            said=self._said(chosen),
        )

    def _controls(self, chosen: Sequence[BodyChoice]) -> Markup:
        """Return the choice of a field and how it is stored; of all fields what they
        have in common."""
        fields = [
            (f"{self._previews.name_of(each)}: {each.field}", str(number))
            for number, each in enumerate(self._choices)
        ]
        if len(fields) > 1:
            fields.append(("all fields", _ALL))
        modes = {str(each.mode) for each in chosen}
        mode = modes.pop() if len(modes) == 1 else ""
        mixed = [] if mode else [("differs", "")]
        controls = bar(
            select("blocks-field", "Field", fields, self._at),
            select("blocks-mode", "Stored as", [*mixed, *_MODES], mode),
        )
        if mode != BodyMode.BLOCKS:
            return controls
        rules = [each.heuristics for each in chosen]
        ticks = joined(
            tick(
                "blocks-rule", label, all(each in e.on for e in rules), value=str(each)
            )
            for each, label in _LABELS.items()
        )
        level = str(rules[0].heading_level)
        return controls + bar(
            words("Split at"),
            ticks,
            select("blocks-level", "Headings of", _LEVELS, level),
        )

    def _said(self, chosen: Sequence[BodyChoice]) -> Markup:
        is_split = (e.mode is BodyMode.ONE_RICHTEXT or e.heuristics.on for e in chosen)
        if all(is_split):
            return NOTHING
        text = "Tick what bodies are split at; so far each one is a single text block."
        return sheet(note(text, "warning"))
