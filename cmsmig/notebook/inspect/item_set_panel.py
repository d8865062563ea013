"""Notebook 01: which item set is imported, chosen in the row of each collection."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from markupsafe import Markup

from cmsmig.counting import counted
from cmsmig.mapping.decisions.body_reviews import IN_BULK, INDIVIDUALLY
from cmsmig.mapping.decisions.choices import (
    CollectionChoice,
    CollectionsDecision,
)
from cmsmig.notebook.inspect.former_path_choices import (
    FOLLOW,
    former_paths_table,
    listed_paths,
    path_key,
)
from cmsmig.notebook.inspect.item_choices import (
    CHOICES,
    LANGUAGE_CHOICES,
    RULES,
    Effects,
    Rule,
    choices_text,
    completed,
    current_choices,
    locales_html,
    proposed_choices,
    reasons_text,
    sign,
    signature_html,
    signed_again,
    with_set,
)
from cmsmig.notebook.kit.decision_files import known_reviewer, remember_reviewer
from cmsmig.notebook.kit.decision_table import (
    DECISION,
    UNDO,
    DecisionTable,
    number_of,
)
from cmsmig.notebook.kit.opened_project import Workspace
from cmsmig.steps.decide.decision_store import decision_in, write_decision
from cmsmig.steps.decide.pulled_origin import Origin, renamed_collections
from cmsmig.ui.controls import bar, dom_class, select, text, words
from cmsmig.ui.html.safe_html import (
    NOTHING,
    joined,
    paragraph,
    sheet,
)
from cmsmig.ui.query import Query
from cmsmig.ui.relation import Column, Nouns, Row
from cmsmig.ui.rows import Rows
from cmsmig.ui.table import TableView
from cmsmig.ui.view import View, action

_NOUNS = Nouns("collection", "collections", "The site has no collections.")
_COLUMNS = (
    Column("collection", "Collection"),
    Column(DECISION, "Item set"),
    Column("others", "Other choices"),
    Column("imported", "Imported", most_first=True, css="number"),
    Column("published", "Published", most_first=True, css="number"),
    Column("left", "Left out"),
)
_MIXED = ("differs", "")
_ALL = 10_000
"""Collections that an unattended run lists: all."""


def item_sets(
    workspace: Workspace, origin: Origin, reviewer: str, item_set: str
) -> View:
    """Show and decide which items of each collection are imported.

    Unattended with `item_set`, every collection gets that set and the decision is
    written, in bulk, by `reviewer`; without, it shows what is decided or proposed
    and writes nothing. Raises `UsageError` for an unknown set or no reviewer.
    """
    before = current_choices(workspace, origin)
    decision = with_set(before, item_set) if item_set else before
    writes = item_set and not workspace.interactive and not workspace.dry_run
    is_new = before.reviewed is None or before.collections != decision.collections
    if writes and is_new:
        decision = sign(decision, reviewer, IN_BULK)
        write_decision(workspace.project, decision)
    by = reviewer or known_reviewer(workspace)
    return ItemSets(workspace, origin, by, None if workspace.interactive else decision)


class _Rows(Rows):
    def file(self, query: Query) -> str:
        """Return the name of the CSV file; the list of collections has another."""
        return "item-sets"


class ItemSets(DecisionTable[CollectionsDecision]):
    """The collections, each with its item set; an open one with its other choices."""

    prefix = "item-set"
    label = "Item set of each collection"
    opens = True
    still_rows = _ALL

    def __init__(
        self,
        workspace: Workspace,
        origin: Origin,
        reviewer: str,
        shown: CollectionsDecision | None,
    ) -> None:
        """`shown` is listed in place of what the file decides."""
        super().__init__(workspace, _Rows(_NOUNS, _COLUMNS), CollectionsDecision)
        self._origin, self._given = origin, shown
        self._names = {e.collection_id: e.display_name for e in origin.collections}
        self._renamed = renamed_collections(origin)
        self._proposed = proposed_choices(origin)
        self._effects = Effects(origin, self._proposed)
        self._reviewer = reviewer
        self._last: Sequence[str] = ()
        """The rows of the last choice, which can be undone."""
        self.load()

    def opened(self) -> None:
        """Follow what other panels decide about items."""
        self.workspace.news.follow("item-set-rows", self._reload, CHOICES)

    def _reload(self) -> None:
        self.load()
        self.show(calm=True)

    def load(self) -> None:
        """List the collections with what is decided now, else proposed."""
        found = self._given or decision_in(self.workspace.project, CollectionsDecision)
        self._decision = completed(found, self._proposed)
        if self._effects.locales != self._decision.locales:
            self._effects = Effects(self._origin, self._decision)
        known = self._names
        self._choices = [
            e for e in self._decision.collections if e.collection_id in known
        ]
        rows = []
        for each in self._choices:
            effect = self._effects.of(each)
            cells = (
                self._names[each.collection_id],
                RULES[0].said(each),
                choices_text(each),
                *(effect.imported, effect.published, reasons_text(effect.left_out)),
            )
            rows.append((0, cells))
        self.rows.put(0, rows)

    # What is decided.

    def options(self, key: str) -> Sequence[str]:
        """Return all choices about a collection, alone and together with others."""
        return [_option(rule, value) for rule in RULES for _, value in rule.options]

    in_bulk = options

    def taken(self, key: str) -> str:
        """Return the item set of a collection."""
        return _option(RULES[0], RULES[0].value(self._choice(key)))

    def take(self, taken: Mapping[str, str], how: str) -> None:
        """Take these choices; the last ones can be undone."""
        super().take(taken, how)
        self._last = [key for key, option in taken.items() if option != UNDO]
        self.show()

    def with_taken(
        self, now: CollectionsDecision, taken: Mapping[str, str], how: str
    ) -> CollectionsDecision:
        """Return the decision with these choices; a signed one is signed again."""
        now = completed(now, self._proposed)
        own = {self._choice(key).collection_id: each for key, each in taken.items()}
        collections = (
            _with_option(each, own.get(each.collection_id, ""))
            for each in now.collections
        )
        made = replace(now, collections=(*collections,))
        return signed_again(made, self._reviewer, how)

    def place(self, key: str) -> tuple[str, ...]:
        """Return the collection."""
        return (self._choice(key).collection_id,)

    def filed(self, now: CollectionsDecision, key: str) -> tuple[CollectionChoice, ...]:
        """Return what the file decides about a collection."""
        own = self._choice(key).collection_id
        return tuple(e for e in now.collections if e.collection_id == own)

    def with_filed(
        self, now: CollectionsDecision, key: str, filed: tuple[CollectionChoice, ...]
    ) -> CollectionsDecision:
        """Return the decision with what the file decided; single items stay."""
        before = filed or self.filed(self._proposed, key)
        made = {e.collection_id: e for e in before}
        collections = (
            replace(made.get(each.collection_id, each), apart=each.apart)
            for each in now.collections
        )
        return replace(now, collections=(*collections,))

    def decide(self, sent: str) -> None:
        """Decide a rule of one collection."""
        place, _, value = sent.partition("=")
        key, _, field = place.partition(".")
        if value:
            self.take({key: f"{field}:{value}"}, INDIVIDUALLY)

    def decide_all(self, sent: str) -> None:
        """Decide a rule of all collections that are listed."""
        super().decide_all(sent.replace("=", ":", 1))

    @action("undo", "Undo")
    def undo(self, _: str) -> None:
        """Restore what was chosen before the last choice."""
        self.take(dict.fromkeys(self._last, UNDO), INDIVIDUALLY)

    @action("language")
    def choose_language(self, sent: str) -> None:
        """Choose how languages are stored, or what replaces a missing one."""
        field, _, value = sent.partition("=")
        kind = type(getattr(self._decision, field))
        self._decide(lambda now: replace(now, **{field: kind(value)}))

    @action("former-path")
    def choose_former(self, sent: str) -> None:
        """Decide where links below a path lead."""
        number, _, value = sent.partition("=")
        chosen, _ = listed_paths(self._decision, self._renamed)[int(number)]
        made = [replace(chosen, follow=value == FOLLOW)] if value else []

        def change(now: CollectionsDecision) -> CollectionsDecision:
            others = (e for e in now.former_paths if path_key(e) != path_key(chosen))
            return replace(now, former_paths=(*others, *made))

        self._decide(change)

    @action("reviewer")
    def name_reviewer(self, value: str) -> None:
        """Take the name that the decision is signed with."""
        self._reviewer = value

    @action("accept", "Accept the item sets", main=True)
    def accept(self, _: str) -> None:
        """Sign what is chosen and proposed."""

        def change(now: CollectionsDecision) -> CollectionsDecision:
            return sign(completed(now, self._proposed), self._reviewer, INDIVIDUALLY)

        self.change(change, "The item sets are accepted in")
        remember_reviewer(self.workspace, self._reviewer)

    def _decide(
        self, change: Callable[[CollectionsDecision], CollectionsDecision]
    ) -> None:
        def made(now: CollectionsDecision) -> CollectionsDecision:
            changed = change(completed(now, self._proposed))
            return signed_again(changed, self._reviewer, INDIVIDUALLY)

        self.change(made, "1 decision written to")

    def html(self, *, live: bool) -> Markup:
        """Return the list, what is about all collections, and what accepts it."""
        listed = super().html(live=live)
        if live and self.at.opened:
            return listed
        former = sheet(former_paths_table(self._decision, self._renamed, live=live))
        if not live:
            return joined((listed, sheet(locales_html(self._decision)), former))
        return joined((listed, self._languages(), former, self._acceptance()))

    def above(self) -> Markup:
        """Return who decided, and what comes along in all."""
        total = self._effects.total(self._choices)
        said = (
            f"{counted(total.imported, 'item')} will be imported, {total.published:,} "
            "of them published."
        )
        if self.workspace.interactive:
            said += " Single items are decided in the list of items below."
        return sheet(signature_html(self._decision), paragraph(said))

    def bars(self) -> list[Markup]:
        """Return the search, and what decides about all that are listed."""
        bars = TableView.bars(self)
        keys = self.rows.keys(self.at.query)
        if self.source.dry_run or self.at.opened or not keys:
            return bars
        scoped = [self._choice(each) for each in keys]
        chosen = [self._rule(rule, scoped, "all") for rule in RULES]
        undo = [self.act("undo")] if self._last else []
        return [*bars, bar(words("All that are listed:"), *chosen, *undo)]

    def buttons(self, key: str, title: str) -> Markup:
        """Return the item set of a collection, as a drop-down."""
        return self._rule(RULES[0], [self._choice(key)], "decide", Row(key, title, {}))

    def name_of(self, key: str) -> str:
        """Return what a collection is called."""
        return self._names[self._choice(key).collection_id]

    def detail(self, key: str) -> Markup:
        """Return all choices about a collection."""
        row = Row(key, self.name_of(key), {})
        scoped = [self._choice(key)]
        return bar(*(self._rule(rule, scoped, "decide", row) for rule in RULES))

    def _choice(self, key: str) -> CollectionChoice:
        return self._choices[number_of(key)]

    def _rule(
        self,
        rule: Rule,
        scoped: Sequence[CollectionChoice],
        name: str,
        row: Row | None = None,
    ) -> Markup:
        """Return the choice of a rule; each option with what it would bring."""
        options = [
            (f"{label} ({self._brought(rule, scoped, each):,})", each)
            for label, each in rule.options
        ]
        values = {rule.value(each) for each in scoped}
        mixed = [_MIXED] if len(values) != 1 else []
        control = f"{rule.control}-all" if rule is RULES[0] else rule.control
        more = {"css": dom_class(control), "row": rule.field}
        if row:
            more = {"css": dom_class(rule.control), "row": f"{row.key}.{rule.field}"}
            more["about"] = f"{rule.label}: {row.title}"
        label = "" if row and not self.at.opened else rule.label
        value = "" if mixed else values.pop()
        return select(self.named(name), label, mixed + options, value, **more)

    def _brought(
        self, rule: Rule, scoped: Sequence[CollectionChoice], value: str
    ) -> int:
        """Return what a choice would import, or publish."""
        would = self._effects.total([rule.with_value(each, value) for each in scoped])
        return would.published if rule.field == "publish" else would.imported

    def _languages(self) -> Markup:
        """Return the choices about languages, on a site that has several."""
        if sum(each.migrate for each in self._decision.locales) < 2:
            return NOTHING
        return bar(
            *(
                select(
                    self.named("language"),
                    label,
                    options,
                    getattr(self._decision, field),
                    row=field,
                    css=dom_class(f"item-set-{control}"),
                )
                for field, control, label, options in LANGUAGE_CHOICES
            )
        )

    def _acceptance(self) -> Markup:
        """Return what signs the decision, while no one has."""
        if self._decision.reviewed is not None:
            return NOTHING
        name = self.named("reviewer")
        given = text(name, "Reviewer", self._reviewer, hint="your name")
        return bar(given, self.act("accept"))


def _option(rule: Rule, value: str) -> str:
    return f"{rule.field}:{value}"


def _with_option(choice: CollectionChoice, option: str) -> CollectionChoice:
    field, _, value = option.partition(":")
    rules = [each for each in RULES if each.field == field]
    return rules[0].with_value(choice, value) if rules else choice
