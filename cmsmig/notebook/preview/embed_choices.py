"""The embeds in bodies, and the choices about them: by kind, and by host where one has
another treatment than its kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from markupsafe import Markup

from cmsmig.counting import counted
from cmsmig.mapping.decisions.choices import EmbedsDecision
from cmsmig.notebook.preview.body_fields import scanned_html
from cmsmig.notebook.preview.previews import Previews
from cmsmig.review.body_index import BodyIndex
from cmsmig.review.embeds import PICTURES, EmbedSort, offered_for, treatment_of
from cmsmig.richtext.policy import Treatment
from cmsmig.ui.controls import select
from cmsmig.ui.form import Options
from cmsmig.ui.html.safe_html import NOTHING, note, sheet, table
from cmsmig.ui.query import Query
from cmsmig.ui.relation import Column, Nouns, Row
from cmsmig.ui.rows import Rows, Texts
from cmsmig.ui.table import TableView
from cmsmig.ui.view import View, action

_TREATMENTS: Mapping[str, str] = {
    Treatment.HTML: "raw HTML block",
    Treatment.COMPONENT: "embed block",
    Treatment.LINK: "link",
    Treatment.DROP: "left out",
    Treatment.PICTURE: "picture alone",
}
_AS_ITS_KIND = ("as its kind", "")
_EXAMPLE = 240
"""Characters of an example that a table shows."""
_NOUNS = Nouns("kind or host", "kinds and hosts", "No body holds an embed.")
_CHOICE = "becomes"
_COLUMNS = (
    Column("embeds", "Embeds"),
    Column(_CHOICE, "Become"),
    Column("found", "Found"),
    Column("bodies", "Bodies", most_first=True, css="number"),
    Column("example", "Such as"),
)


def embeds_html(body_index: BodyIndex, decision: EmbedsDecision) -> Markup:
    """Return the embeds by kind and host with their treatment, as a table."""
    found = body_index.embeds()
    if not found:
        return sheet(note(_NOUNS.none))
    rows = [
        (
            each.kind,
            each.signature or "no address",
            each.count,
            each.bodies,
            _words(each.kind, treatment_of(each.kind, each.signature, decision)),
            each.example[:_EXAMPLE],
        )
        for each in found
    ]
    head = ("kind", "host", "embeds", "bodies", "becomes", "such as")
    return sheet(table(head, rows, caption="Embeds in all bodies"))


class EmbedChoices(View):
    """The list of embeds with the other choices about them; each is written at once."""

    label = "Embeds"

    def __init__(self, previews: Previews) -> None:
        super().__init__()
        self._previews = previews
        self._list = self.part(_EmbedList(previews))

    def opened(self) -> None:
        """Scan the bodies, and follow the choices of other panels."""
        self._previews.follow("embeds", self)

    def html(self, *, live: bool) -> Markup:
        """Return the choices about kinds and hosts."""
        return self.panel(
            said=self._said(),
            embeds=self._list.html(live=live),
        )

    def _said(self) -> Markup:
        reopened = self._previews.scanner.tally().reopened
        said = (
            f"{reopened:,} bodies were reviewed and are to be reviewed again: the "
            "treatment of their embeds, their content or the rules changed since. "
            "Choose “reopened” below to see them."
        )
        return sheet(
            scanned_html(self._previews.body_index),
            note(said, "warning") if reopened else NOTHING,
        )


class _EmbedRows(Rows):
    """The kinds of embeds, then the hosts."""

    def file(self, query: Query) -> str:
        """Return the name of the CSV file."""
        return "embeds"


class _EmbedList(TableView):
    """The kinds of embeds, then the hosts, each with its treatment."""

    prefix = "embeds"

    def __init__(self, previews: Previews) -> None:
        self._previews = previews
        self._rows = _EmbedRows(_NOUNS, _COLUMNS)
        self._choices: dict[str, Callable[[], Markup]] = {}
        """By row: made for those on the page."""
        super().__init__(previews.workspace.list_source(self._rows))

    @action("embed-kind")
    def _treat_kind(self, value: str) -> None:
        kind, _, treatment = value.partition("=")
        self._previews.treat_kind(kind, Treatment(treatment))
        self.show()

    @action("embed-signature")
    def _treat_host(self, value: str) -> None:
        host, _, chosen = value.rpartition("=")
        self._previews.treat_signature(host, Treatment(chosen) if chosen else None)
        self.show()

    def nothing(self) -> str:
        """Return what is shown of an empty list."""
        is_complete = self._previews.scanner.tally().complete
        return _NOUNS.none if is_complete else "No embed is found so far."

    def control(self, row: Row, column: str) -> Markup:
        """Return the treatment of a row, as a drop-down."""
        if column != _CHOICE:
            return super().control(row, column)
        return self._choices[row.key]()

    def html(self, *, live: bool) -> Markup:
        """Return the page of the list that is shown."""
        listed = [*self._kinds(), *self._hosts()]
        self._rows.put(0, ((0, row) for _, row in listed))
        self._choices = {f"0-{n}": choice for n, (choice, _) in enumerate(listed)}
        return super().html(live=live)

    def _kinds(self) -> Iterator[tuple[Callable[[], Markup], Texts]]:
        index, decision = self._previews.body_index, self._previews.embeds
        examples = {each.kind: each.example for each in reversed(index.embeds())}
        for kind, (count, bodies) in sorted(index.embed_kinds().items()):
            options = [(_words(kind, each), str(each)) for each in offered_for(kind)]
            now = treatment_of(kind, "", decision)
            choice = partial(_choice, "embed-kind", kind, options, now)
            found = (counted(count, kind), bodies, examples[kind])
            yield choice, (f"every {kind}", _words(kind, now), *found)

    def _hosts(self) -> Iterator[tuple[Callable[[], Markup], Texts]]:
        hosts: dict[str, list[EmbedSort]] = {}
        for each in self._previews.body_index.embeds():
            if each.signature:
                hosts.setdefault(each.signature, []).append(each)
        some = [(_TREATMENTS[each], str(each)) for each in offered_for("")]
        options = [_AS_ITS_KIND, *some]
        for host, sorts in hosts.items():
            now = self._previews.embeds.signatures.get(host)
            words = _TREATMENTS[now] if now else _AS_ITS_KIND[0]
            choice = partial(_choice, "embed-signature", host, options, now)
            found = ", ".join(counted(each.count, each.kind) for each in sorts)
            bodies = sum(each.bodies for each in sorts)
            yield choice, (host, words, found, bodies, sorts[0].example)


def _choice(name: str, row: str, options: Options, now: Treatment | None) -> Markup:
    about = f"Treatment of {row}"
    return select(name, "", options, now or "", row=row, about=about)


def _words(kind: str, treatment: Treatment) -> str:
    """Return the treatment of an embed of this kind, in words."""
    if treatment is Treatment.COMPONENT and kind in PICTURES:
        return "figure block"
    return _TREATMENTS[treatment]
