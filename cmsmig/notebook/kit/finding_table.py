"""Findings one by one before a person: a list that is searched, sorted and saved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from time import monotonic

from markupsafe import Markup

from cmsmig.evidence.new_items import NewItems
from cmsmig.evidence.report_findings import FindingSet
from cmsmig.richtext.losses import Severity
from cmsmig.ui.action_queue import in_slices
from cmsmig.ui.documents.findings import DECIDED, Finding
from cmsmig.ui.html.safe_html import NOTHING, coded, note, sheet, site_link
from cmsmig.ui.query import EVERYTHING, Query
from cmsmig.ui.relation import Column, Filter, Group, Nouns, Page, Source
from cmsmig.ui.rows import Rows
from cmsmig.ui.table import Place, TableView

_SINCE = "since"
"""The column, and the filter, of findings in items that are new."""
_COLUMNS = (
    Column("kind", "Kind"),
    Column("item", "Item"),
    Column("page", "Page at the origin"),
    Column("field", "Field"),
    Column("what", "What"),
    Column("why", "Why"),
    Column("todo", "What to do"),
    Column("severity", "Severity", optional=True, hidden=True),
    Column("new_page", "Page at the new site", optional=True, hidden=True),
    Column(_SINCE, "Since", hidden=True),
    Column("list", "List", optional=True, hidden=True),
)
_IN_CSV = 7
"""Columns that a CSV file has."""
_RANKS = 10
"""Ranks of one part: more than there are severities."""
_BATCH = 200
_BETWEEN = 0.7
"""Seconds between two times that the list says how far it is."""


@dataclass(frozen=True, slots=True)
class FindingWords:
    """What a list of findings is called."""

    prefix: str
    """Of the names of its controls: `losses-search` and so on."""
    title: str
    nouns: Nouns
    """With what is said when there is nothing."""
    not_yet: str = "Nothing is found so far."
    """What is said while there is nothing so far."""
    left_out: str = "What is not looked through yet is left out."
    """What is said of a CSV that is written before all is found."""


class FindingRows(Rows):
    """Findings as rows; each part of them has a title and a CSV file of its own."""

    def __init__(
        self,
        nouns: Nouns,
        file: str,
        site: str = "",
        parts: Sequence[tuple[str, str]] = (),
    ) -> None:
        """`site` is the address that pages are below; `parts` are titles and the names
        of their files."""
        lists = (Filter("list", "List", ""),) if parts else ()
        kinds = Filter("kind", "Kind", "")
        super().__init__(nouns, _COLUMNS, (Filter(_SINCE, "Show", ""), *lists, kinds))
        self._file = file
        self._site = site
        self._parts = parts

    def keep(self, part: int, found: Iterable[Finding]) -> None:
        """Keep more findings of a part, in each part by severity."""
        title = self._parts[part][0] if self._parts else ""
        first = part * _RANKS
        self.add(part, ((first + e.rank, (*astuple(e), title)) for e in found))

    def replace(self, part: int, found: Iterable[Finding]) -> None:
        """Keep findings in place of those that a part had; all by severity."""
        self.put(part, ((each.rank, (*astuple(each), "")) for each in found))

    def findings(self) -> Iterator[Finding]:
        """Yield all findings."""
        for row in self.all(EVERYTHING):
            yield Finding(*row[:-1])

    def cell(self, column: str, text: str) -> Markup | str:
        """Return a page as a link, commands in what to do and why as code, everything
        else as it is."""
        if column in ("todo", "why") and "`" in text:
            return coded(text)
        return site_link(self._site, text) if column == "page" else text

    def filters(self, query: Query) -> Sequence[Filter]:
        """Return the filters; whether items are new only where some are or that is
        asked for."""
        return [
            each
            for each in super().filters(query)
            if each.name != _SINCE or len(each.options or ()) > 1
        ]

    def csv(self, query: Query, shown: Sequence[str]) -> Iterator[Sequence[str]]:
        """Yield the lines of the findings that pass."""
        yield [each.title for each in _COLUMNS[:_IN_CSV]]
        for row in self.all(query):
            yield row[:_IN_CSV]

    def file(self, query: Query) -> str:
        """Return the name of the part that is listed, or of all."""
        return dict(self._parts).get(query.get("list"), self._file)

    def explained(self, query: Query) -> Markup:
        """Return why a kind is found, and what to do about it."""
        if not query.get("kind"):
            return NOTHING
        found = next((Finding(*row[:-1]) for row in self.all(query)), None)
        if found is None:
            return NOTHING
        said = f"{found.kind}: {found.why} {found.todo}"
        return sheet(note(said.replace("`", "'")))


def parts_of(sets: Iterable[FindingSet]) -> list[tuple[str, str]]:
    """Return the title of each sort of findings, and the name of its file."""
    return [(each.title, each.name) for each in sets]


class FindingTable(TableView):
    """A list of findings: kind by kind where there are many, what matters first."""

    group_by = "kind"
    group_columns = ("why", "todo")
    quiet = "How it looks, and what was left out as decided"

    def is_quiet(self, group: Group) -> bool:
        """Return whether a kind is about the look alone, or was decided."""
        return group.cells["severity"] in (Severity.LAYOUT, DECIDED)

    def __init__(self, words: FindingWords, source: Source, rows: FindingRows) -> None:
        """`rows` are those of `source`."""
        super().__init__(source)
        self.prefix = words.prefix
        self.label = words.title
        self._words = words
        self._rows = rows
        self._label = ""
        """What new items are called; empty where none can be."""
        self._before = ""
        """The import that older ones are older than."""

    @property
    def complete(self) -> bool:
        """Return whether everything is found."""
        return True

    def begin_with(self, new: NewItems | None) -> None:
        """List what is in new items at first, if any can be; what a person chose stays
        until other items are new."""
        label, self._before = (new.label, new.before) if new else ("", "")
        if label != self._label:
            self._label = label
            self.at = Place(EVERYTHING.having(_SINCE, label))

    def summary(self, page: Page) -> str:
        """Return which rows are shown, and how many are not new."""
        said = super().summary(page)
        if not page.count and self._label and self.at.query.get(_SINCE):
            said = (
                f"Nothing is {self._label}." if self.complete else self._words.not_yet
            )
        return f"{said} {self._hidden(page)}".strip()

    def summary_of(self, page: Page, groups: int) -> str:
        """Return how many rows there are, in how many groups, and how many are not
        new."""
        return f"{super().summary_of(page, groups)} {self._hidden(page)}".strip()

    def _hidden(self, page: Page) -> str:
        """Return how many rows are hidden because they are older."""
        if not self.at.query.get(_SINCE):
            return ""
        count = self._rows.count(self.at.query.without(_SINCE)) - page.count
        return f"Hidden: {count:,} from before {self._before}."

    def nothing(self) -> str:
        """Return what is said of an empty list."""
        return self.relation.nouns.none if self.complete else self._words.not_yet

    def left_out(self) -> str:
        """Return what a CSV does not hold yet."""
        return "" if self.complete else self._words.left_out


class FindingSetTable(FindingTable):
    """Findings of several sorts as one list, read in the background."""

    def __init__(
        self,
        words: FindingWords,
        source: Source,
        rows: FindingRows,
        read: Callable[[], tuple[FindingSet, ...]],
        new: Callable[[], NewItems | None],
    ) -> None:
        """`new` returns which items are new now."""
        super().__init__(words, source, rows)
        self._sets = read
        self._new = new
        self._round = 0
        self._reading = True

    @property
    def complete(self) -> bool:
        """Return whether everything is read."""
        return not self._reading

    def opened(self) -> None:
        """Read everything in the background."""
        self.read()

    def read(self) -> None:
        """Read all findings again."""
        self.queue.start(self._read)

    async def _read(self) -> None:
        self._round += 1
        mine, self._reading, shown_at = self._round, True, 0.0
        self._rows.clear()
        self.begin_with(self._new())
        for part, each in enumerate(self._sets()):
            batch: list[Finding] = []
            async for finding in in_slices(each.read()):
                if mine != self._round:
                    return
                batch.append(finding)
                if len(batch) == _BATCH:
                    self._keep(part, batch)
                    # Now and then: each time all findings are counted.
                    if monotonic() - shown_at > _BETWEEN:
                        shown_at = monotonic()
                        self.renew()
            self._keep(part, batch)
        self._reading, self.progress = False, ""
        self.renew()

    def _keep(self, part: int, batch: list[Finding]) -> None:
        self._rows.keep(part, batch)
        batch.clear()
        count = self._rows.nouns.counted(self._rows.count(EVERYTHING))
        self.progress = f"{count} so far; the list is not complete."
