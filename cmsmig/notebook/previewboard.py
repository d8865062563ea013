"""The controls of notebook 03: a picker of bodies, and the choices about embeds."""

from __future__ import annotations

from collections.abc import Callable

from markupsafe import Markup

from cmsmig.notebook.previewhtml import (
    TREATMENTS,
    bodies_html,
    body_html,
    embeds_html,
)
from cmsmig.notebook.previewing import Previews
from cmsmig.notebook.ui import (
    Board,
    Choice,
    Element,
    Html,
    column,
    grid,
    row,
)
from cmsmig.report.bodies import Filter
from cmsmig.report.embeds import LINKED_IMAGE, EmbedSort, treatment_of
from cmsmig.report.safehtml import escape, note, sheet
from cmsmig.richtext.policy import Treatment

_ANY = ""
_AS_ITS_KIND = ""
_HOSTS = 40
"""Hosts that have a control of their own; more are chosen in `embeds.yaml`."""


class _Picker:
    """Chooses a body and shows it."""

    def __init__(self, previews: Previews, first: int | None) -> None:
        self._previews = previews
        self._shelf = previews.shelf
        self._board = Board()
        self._shown = Html()
        self._count = Html()
        self._fields: list[tuple[str, str]] = [(_ANY, _ANY)]
        self._filters()
        start = first
        if start is None:
            start = next(iter(self._shelf.tellingly(1)), None)
        self._narrow(start)

    def element(self) -> Element:
        return column(
            row(self._filter, self._field, self._locale),
            row(self._item, self._previous, self._next, self._count),
            self._shown,
            self._board.messages,
        )

    def renew(self) -> None:
        """Show the body again, after a choice changed what becomes of it."""
        self._board.queue(self._show)

    def _filters(self) -> None:
        board = self._board
        named = {str(each): str(each) for each in Filter}
        shapes = {each: f"with: {each}" for each in self._shelf.structures()}
        self._filter = board.choice(
            "body-filter",
            "Show",
            [(label, value) for value, label in (named | shapes).items()],
            Filter.ALL,
            changed=self._refilter,
        )
        self._field = board.choice(
            "body-field", "Field", self._field_options(), "0", changed=self._refilter
        )
        tags = dict.fromkeys(body.locale for body in self._shelf.bodies if body.locale)
        self._locale = board.choice(
            "body-locale",
            "Locale",
            [("all locales", _ANY), *((tag, tag) for tag in tags)],
            _ANY,
            changed=self._refilter,
        )
        self._item = board.choice(
            "body-item", "Item", [("none", _ANY)], _ANY, changed=self._show
        )
        self._previous = board.button("body-previous", "Previous", self._step(-1))
        self._next = board.button("body-next", "Next", self._step(1))

    def _field_options(self) -> list[tuple[str, str]]:
        titles = {
            (body.collection.collection_id, body.design.origin): (
                f"{body.collection.display_name}: {body.design.origin}"
            )
            for body in self._shelf.bodies
        }
        self._fields += titles
        labels = ["all fields", *titles.values()]
        return [(label, str(number)) for number, label in enumerate(labels)]

    def _refilter(self) -> None:
        self._narrow(None)

    def _narrow(self, start: int | None) -> None:
        """Offer the bodies that pass, and show one of them."""
        collection_id, origin_field = self._fields[int(self._field.value)]
        self._passing = self._shelf.select(
            self._filter.value,
            collection_id=collection_id,
            field=origin_field,
            locale=self._locale.value,
        )
        options = [
            (f"{number}. {self._shelf.bodies[index].title}", str(index))
            for number, index in enumerate(self._passing, start=1)
        ]
        if not options:
            self._item.offer([("no such body", _ANY)], _ANY)
        else:
            current = start if start in self._passing else self._passing[0]
            self._item.offer(options, str(current))
        self._show()

    def _step(self, by: int) -> Callable[[], None]:
        def step() -> None:
            if not self._passing or self._item.value == _ANY:
                return
            place = self._passing.index(int(self._item.value)) + by
            self._item.value = str(self._passing[place % len(self._passing)])

        return step

    def _show(self) -> None:
        if self._item.value == _ANY:
            self._count.show(Markup(""))
            self._shown.show(sheet(note("No body passes this choice.")))
            return
        index = int(self._item.value)
        place = self._passing.index(index) + 1
        self._count.show(escape(f"{place} of {len(self._passing)}"))
        self._shown.show(body_html(self._shelf, index))


class _Embeds:
    """A control per kind and per host, and a table of what was found."""

    def __init__(self, previews: Previews) -> None:
        self._previews = previews
        self._board = Board()
        self._found = previews.shelf.embeds()
        self._table = Html()

    def element(self) -> Element:
        kinds = sorted({each.kind for each in self._found})
        hosts = list(
            dict.fromkeys(each.signature for each in self._found if each.signature)
        )
        rows = [self._kind(kind) for kind in kinds]
        rows += [self._signature(host) for host in hosts[:_HOSTS]]
        self._show()
        left = len(hosts) - _HOSTS
        more = f"{left} more hosts can be chosen in decisions/embeds.yaml."
        return column(
            grid(rows, widths="minmax(12em,1fr) minmax(14em,1fr) minmax(12em,2fr)"),
            Html(sheet(note(more)) if left > 0 else None),
            self._table,
            self._board.messages,
        )

    def _kind(self, kind: str) -> tuple[Element, ...]:
        some = next(each for each in self._found if each.kind == kind)
        bare = EmbedSort(kind, "", some.count, some.bodies, some.example)
        choice: Choice = self._board.choice(
            "embed-kind",
            "",
            _offered(kind),
            _same(kind, treatment_of(bare, self._previews.embeds)),
            tip=f"What every {kind} becomes",
            changed=lambda: self._treat_kind(kind, choice.value),
        )
        counted = sum(each.count for each in self._found if each.kind == kind)
        return (_label(f"every {kind}"), choice, _label(f"{counted} found"))

    def _signature(self, host: str) -> tuple[Element, ...]:
        now = self._previews.embeds.signatures.get(host)
        choice: Choice = self._board.choice(
            "embed-signature",
            "",
            [
                ("as its kind", _AS_ITS_KIND),
                *((label, str(each)) for each, label in TREATMENTS.items()),
            ],
            _AS_ITS_KIND if now is None else str(now),
            tip=f"What embeds from {host} become",
            changed=lambda: self._treat_signature(host, choice.value),
        )
        here = [each for each in self._found if each.signature == host]
        kinds = ", ".join(f"{each.count} {each.kind}" for each in here)
        return (_label(f"from {host}"), choice, _label(kinds))

    def _treat_kind(self, kind: str, value: str) -> None:
        self._previews.treat_kind(kind, Treatment(value))
        self._show()

    def _treat_signature(self, host: str, value: str) -> None:
        treatment = None if value == _AS_ITS_KIND else Treatment(value)
        self._previews.treat_signature(host, treatment)
        self._show()

    def _show(self) -> None:
        chosen = self._previews.embeds
        self._table.show(embeds_html(self._previews.shelf, chosen))


def _offered(kind: str) -> list[tuple[str, str]]:
    """Return what a kind may become; a picture is never raw HTML or a bare link."""
    if kind == LINKED_IMAGE:
        return [
            ("picture block with its link", str(Treatment.COMPONENT)),
            ("picture without its link", str(Treatment.DROP)),
        ]
    return [(label, str(each)) for each, label in TREATMENTS.items()]


def _same(kind: str, treatment: Treatment) -> Treatment:
    """Return the offered choice with the same effect as a decided one."""
    if kind != LINKED_IMAGE:
        return treatment
    kept = treatment in (Treatment.COMPONENT, Treatment.HTML)
    return Treatment.COMPONENT if kept else Treatment.DROP


def bodies_board(previews: Previews) -> Element:
    """Return the counts of bodies and losses, which follow the embed choices."""
    shown = Html()

    def show() -> None:
        shown.show(bodies_html(previews.shelf, previews.blocks))

    show()
    previews.watchers.append(show)
    return shown


def preview_board(previews: Previews, first: int | None) -> Element:
    """Return the picker of bodies with the one that is shown."""
    picker = _Picker(previews, first)
    previews.watchers.append(picker.renew)
    return picker.element()


def embed_board(previews: Previews) -> Element:
    """Return the choices about embeds; a preview on show follows each."""
    return _Embeds(previews).element()


def accept_board(state: str, reviewer: str, take: Callable[[str], str]) -> Element:
    """Return the button that accepts blocks and embeds, and who does."""
    board = Board()
    stands = Html(escape(state))
    name = board.text("bodies-reviewer", "Reviewed by", reviewer, hint="your name")

    def accept() -> None:
        said = take(name.value)
        stands.show(sheet(note(said, "good")))

    button = board.button(
        "bodies-accept", "Accept blocks and embeds", accept, look="success"
    )
    return column(stands, row(name, button), board.messages)


def _label(text: str) -> Element:
    return Html(escape(text))
