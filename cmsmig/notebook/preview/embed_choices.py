"""The choices about embeds: by kind, and by host where one is wanted otherwise."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from cmsmig.notebook.preview.component_choices import ComponentChoices
from cmsmig.notebook.preview.preview_html import (
    TREATMENTS,
    UNCLOSED,
    becomes,
    looked_html,
    unbroken,
    unclosed_html,
)
from cmsmig.notebook.preview.previews import Previews
from cmsmig.review.embeds import EmbedSort, offered_for, treatment_of
from cmsmig.richtext.policy import Treatment, Unclosed
from cmsmig.ui.controls import (
    bar,
    search,
    select,
    words,
)
from cmsmig.ui.html.safe_html import NOTHING, Cell, escape, note, sheet, table
from cmsmig.ui.view import View, action

_AS_ITS_KIND = ""
_PAGE = 20
"""Hosts that have a control at once."""
_EXAMPLE = 120
_HEAD = ("embeds", "become", "found", "bodies", "such as")


@dataclass(frozen=True, slots=True)
class _Host:
    """All embeds of one host."""

    name: str
    kinds: tuple[EmbedSort, ...]

    @property
    def count(self) -> int:
        return sum(each.count for each in self.kinds)


class EmbedChoices(View):
    """A page of hosts below the kinds; each choice is written at once."""

    label = "Embeds"

    def __init__(self, previews: Previews) -> None:
        super().__init__()
        self._previews = previews
        self._text = ""
        self._page = 0
        self._hosts: tuple[_Host, ...] = ()
        self._components = self.part(ComponentChoices(previews))

    def opened(self) -> None:
        """Scan the bodies, and follow the choices of other panels."""
        self._previews.watchers["embeds"] = lambda: self.queue.start(self.renew)
        self._previews.scanner.watchers["embeds"] = lambda: self.queue.start(self.renew)
        self._previews.scanner.start()

    @action("embed-kind")
    def _treat_kind(self, value: str) -> None:
        kind, _, treatment = value.partition("=")
        self._previews.treat_kind(kind, Treatment(treatment))
        self.show()

    @action("embed-signature")
    def _treat_host(self, value: str) -> None:
        host, _, chosen = value.rpartition("=")
        treatment = None if chosen == _AS_ITS_KIND else Treatment(chosen)
        self._previews.treat_signature(host, treatment)
        self.show()

    @action("embed-unclosed")
    def _treat_unclosed(self, value: str) -> None:
        self._previews.end_unclosed(Unclosed(value))
        self.show()

    @action("embed-search")
    def _search(self, value: str) -> None:
        self._text, self._page = value.strip().casefold(), 0
        self.show()

    @action("embed-previous", "Previous hosts")
    def _previous(self, _: str) -> None:
        self._page -= 1
        self.show()

    @action("embed-next", "Next hosts")
    def _next(self, _: str) -> None:
        self._page += 1
        self.show()

    def renew(self) -> None:
        """Show what the scan has brought so far."""
        self.show(calm=True)

    def html(self, *, live: bool) -> Markup:
        """Return the choices about kinds, components and hosts."""
        found = self._previews.body_index.embeds()
        by_host: dict[str, list[EmbedSort]] = {}
        for each in found:
            if each.signature:
                by_host.setdefault(each.signature, []).append(each)
        self._hosts = tuple(_Host(name, tuple(each)) for name, each in by_host.items())
        return self.panel(
            said=self._said(bool(found)),
            kinds=self._kinds(found),
            components=self._components.html(live=live),
            unclosed=self._unclosed(),
            search=self._searching(),
            hosts=self._listed(),
        )

    def _said(self, found: bool) -> Markup:
        tally = self._previews.scanner.tally()
        said = looked_html(self._previews.body_index)
        if not found and tally.complete:
            said += note("No body holds an embed.")
        if tally.reopened:
            said += note(
                f"{tally.reopened:,} bodies were reviewed and are to be reviewed "
                "again: what their embeds become, their content or the rules changed "
                "since. Choose “reopened” below to see them.",
                "warning",
            )
        return sheet(said)

    def _kinds(self, found: tuple[EmbedSort, ...]) -> Markup:
        examples = {each.kind: each for each in reversed(found)}
        rows = [
            (
                escape(f"every {kind}"),
                self._kind_choice(examples[kind]),
                *counts,
                examples[kind].example[:_EXAMPLE],
            )
            for kind, counts in self._previews.body_index.embed_kinds().items()
        ]
        if not rows:
            return NOTHING
        return sheet(table(_HEAD, rows, caption="By kind"))

    def _kind_choice(self, sort: EmbedSort) -> Markup:
        kind = sort.kind
        bare = EmbedSort(kind, "", sort.count, sort.bodies, sort.example)
        return select(
            "embed-kind",
            "",
            [(becomes(kind, each), str(each)) for each in offered_for(kind)],
            str(treatment_of(bare, self._previews.embeds)),
            row=kind,
            about=f"What every {kind} becomes",
        )

    def _unclosed(self) -> Markup:
        choice = self._previews.embeds.unclosed
        told = unclosed_html(self._previews.body_index, choice)
        if not told:
            return told
        options = [(words, str(each)) for each, words in UNCLOSED.items()]
        about = "What becomes of embeds that are never closed"
        return sheet(told) + bar(
            select("embed-unclosed", "They ", options, str(choice), about=about)
        )

    def _searching(self) -> Markup:
        if len(self._hosts) <= _PAGE:
            return NOTHING
        return bar(
            search("embed-search", "Find a host", self._text, hint="example.com")
        )

    def _listed(self) -> Markup:
        passing = [each for each in self._hosts if self._text in each.name.casefold()]
        pages = max(-(-len(passing) // _PAGE), 1)
        self._page %= pages
        start = self._page * _PAGE
        rows = [self._host(each) for each in passing[start : start + _PAGE]]
        if not self._hosts:
            return NOTHING
        if not rows:
            return sheet(note("No host matches."))
        shown = sheet(table(_HEAD, rows, caption=f"By host: {len(self._hosts)} hosts"))
        if pages == 1:
            return shown
        place = f"{start + 1} to {start + len(rows)} of {len(passing)}"
        return shown + bar(
            self.act("embed-previous"),
            self.act("embed-next"),
            words(place),
        )

    def _host(self, host: _Host) -> tuple[Cell, ...]:
        now = self._previews.embeds.signatures.get(host.name)
        choice = select(
            "embed-signature",
            "",
            [
                ("as its kind", _AS_ITS_KIND),
                *((TREATMENTS[each], str(each)) for each in offered_for("")),
            ],
            _AS_ITS_KIND if now is None else str(now),
            row=host.name,
            about=f"What embeds from {host.name} become",
        )
        kinds = ", ".join(f"{each.count} {each.kind}" for each in host.kinds)
        bodies = sum(each.bodies for each in host.kinds)
        return (
            unbroken(host.name),
            choice,
            kinds,
            bodies,
            host.kinds[0].example[:_EXAMPLE],
        )
