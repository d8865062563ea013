"""Notebook 01, last part: which item set is imported, per collection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from cmsmig.counting import counted
from cmsmig.mapping.decisions.body_reviews import IN_BULK, INDIVIDUALLY
from cmsmig.mapping.decisions.choices import (
    CollectionChoice,
    CollectionsDecision,
    FormerPath,
)
from cmsmig.mapping.propose.former_paths import RenamedCollection
from cmsmig.notebook.inspect.item_choices import (
    LANGUAGES,
    MISSING_LANGUAGE,
    RULES,
    Effects,
    Rule,
    choices_table,
    current_choices,
    sign,
    signature_html,
    with_set,
)
from cmsmig.notebook.kit.decision_files import known_reviewer, remember_reviewer
from cmsmig.notebook.kit.opened_project import Workspace
from cmsmig.steps.decide.decision_store import write_decision
from cmsmig.steps.decide.pulled_origin import Origin, renamed_collections
from cmsmig.ui.controls import bar, dom_class, select, text
from cmsmig.ui.html.safe_html import (
    NOTHING,
    Cell,
    heading,
    joined,
    paragraph,
    sheet,
    stacked,
    table,
)
from cmsmig.ui.view import View, action

_ALL = "all collections"
_LANGUAGES = (
    ("languages", "languages", "Languages", LANGUAGES),
    (
        *("missing_language", "missing", "References to what lacks a language"),
        MISSING_LANGUAGE,
    ),
)
"""Field, control, label and options of each choice about languages."""
_MIXED = ("differs by collection", "")
_FOLLOW, _STAY = "follow", "stay"
_ABOUT = paragraph(
    "Each choice shows how many stories it brings, under Publish how many of them are "
    "published. Single items are decided under `apart` in the file."
)
_ABOUT_FORMER = heading("Former paths of collections") + paragraph(
    "These links look like old paths of renamed collections. Choose per path whether "
    "links and redirects below it lead to the stories. What is not decided stays as it "
    "is."
)


def item_sets(
    workspace: Workspace, origin: Origin, reviewer: str, item_set: str
) -> View:
    """Show and decide which items of each collection are imported.

    Unattended with `item_set`, every collection gets that set and the decision is
    written, in bulk, by `reviewer`; without, it shows what is decided or proposed
    and writes nothing. Raises `UsageError` for an unknown set or no reviewer.
    """
    before = current_choices(workspace, origin)
    renamed = renamed_collections(origin)
    decision = with_set(before, item_set) if item_set else before
    writes = item_set and not workspace.interactive and not workspace.dry_run
    is_new = before.reviewed is None or before.collections != decision.collections
    if writes and is_new:
        decision = sign(decision, reviewer, IN_BULK)
        write_decision(workspace.project, decision)
    name = reviewer or known_reviewer(workspace)
    return _ItemSets(workspace, origin, renamed, decision, name)


class _ItemSets(View):
    """A choice of each rule for all collections or one of them, former paths, and the
    button that writes."""

    prefix = "item-set"
    label = "Item set of each collection"
    says_last = True

    def __init__(
        self,
        workspace: Workspace,
        origin: Origin,
        renamed: Sequence[RenamedCollection],
        decision: CollectionsDecision,
        reviewer: str,
    ) -> None:
        super().__init__()
        self._workspace = workspace
        self._origin = origin
        self._renamed = renamed
        self._decision = decision
        self._signed = signature_html(decision)
        self._effects = Effects(origin, decision)
        self._reviewer = reviewer
        self._scope = ""
        """The collection that the choices are about; empty: all."""
        self._how = INDIVIDUALLY
        """In bulk once something was chosen for several collections together."""

    @action("for")
    def narrow(self, collection_id: str) -> None:
        """Choose for one collection, or for all."""
        self._scope = collection_id
        self.show()

    @action("rule")
    def choose(self, sent: str) -> None:
        """Change a rule of the collections that the choices are about."""
        field, _, value = sent.partition("=")
        rule = next(each for each in RULES if each.field == field)
        scoped = self._scoped()
        if len(scoped) > 1:
            self._how = IN_BULK
        collections = (
            rule.with_value(each, value) if each in scoped else each
            for each in self._decision.collections
        )
        self._decide(collections=tuple(collections))

    @action("language")
    def choose_language(self, sent: str) -> None:
        """Choose how languages are stored, or what replaces a missing one."""
        field, _, value = sent.partition("=")
        self._decide(**{field: type(getattr(self._decision, field))(value)})

    @action("former-path")
    def choose_former(self, sent: str) -> None:
        """Decide where links below a path lead."""
        number, _, value = sent.partition("=")
        chosen, _ = _paths(self._decision, self._renamed)[int(number)]
        own = _key(chosen)
        others = (each for each in self._decision.former_paths if _key(each) != own)
        made = [replace(chosen, follow=value == _FOLLOW)] if value else []
        self._decide(former_paths=(*others, *made))

    @action("reviewer")
    def name_reviewer(self, value: str) -> None:
        """Take the name that the decision is signed with."""
        self._reviewer = value

    @action("save", "Write decisions/collections.yaml", main=True)
    def save(self, _: str) -> None:
        """Write what is chosen, signed."""
        decision = sign(self._decision, self._reviewer, self._how)
        if self._workspace.dry_run:
            self.say("This is a dry run: nothing was written.", "warning")
            return
        path = write_decision(self._workspace.project, decision)
        self._decision, self._signed = decision, signature_html(decision)
        self._how = INDIVIDUALLY
        self.say(f"{path} is written.", "good")
        self.show()
        remember_reviewer(self._workspace, self._reviewer)

    def _decide(self, **changes: Any) -> None:
        self._decision = replace(self._decision, **changes)
        self.show()

    def html(self, *, live: bool) -> Markup:
        """Return the choices, and what they bring."""
        choices = choices_table(self._origin, self._decision, self._effects)
        former = self._former_paths(live=live)
        if not live:
            return sheet(self._signed, choices, former)
        return self.panel(
            signed=sheet(_ABOUT, self._signed),
            rules=bar(self._scopes(), *map(self._rule, RULES)),
            choices=sheet(choices),
            languages=self._languages(),
            former=sheet(former),
            save=bar(
                text(
                    self.named("reviewer"),
                    "Reviewer",
                    self._reviewer,
                    hint="your name",
                ),
                self.act("save"),
            ),
        )

    def _scopes(self) -> Markup:
        names = [(e.display_name, e.collection_id) for e in self._origin.collections]
        options = [(_ALL, ""), *names]
        return select(self.named("for"), "Choose for", options, self._scope)

    def _rule(self, rule: Rule) -> Markup:
        """Return the choice of a rule; each option with what it would bring."""
        scoped = self._scoped()
        options = [
            (f"{label} ({self._brought(rule, scoped, value):,})", value)
            for label, value in rule.options
        ]
        values = {rule.value(each) for each in scoped}
        mixed = [_MIXED] if len(values) != 1 else []
        return select(
            self.named("rule"),
            rule.label,
            mixed + options,
            "" if mixed else values.pop(),
            row=rule.field,
            css=dom_class(rule.control),
        )

    def _scoped(self) -> list[CollectionChoice]:
        """Return the choices of the collections that the controls are about."""
        return [
            each
            for each in self._decision.collections
            if self._scope in ("", each.collection_id)
        ]

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
                for field, control, label, options in _LANGUAGES
            )
        )

    def _former_paths(self, *, live: bool) -> Markup:
        """Return the paths with their links, and what is decided about each."""
        decided = {_key(each): each for each in self._decision.former_paths}
        rows: list[tuple[Cell, ...]] = []
        for number, (former, one) in enumerate(_paths(self._decision, self._renamed)):
            own = decided.get(_key(former))
            value = "" if own is None else _FOLLOW if own.follow else _STAY
            options = (
                (f"lead to {former.collection_slug}", _FOLLOW),
                ("stay as they are", _STAY),
                ("not decided", ""),
            )
            said: Cell = next(label for label, each in options if each == value)
            if live:
                row, about = str(number), f"Links below {former.path}"
                said = select("former-path", "", options, value, row=row, about=about)
            found = (
                (one.links, counted(len(one.pages), "page"), stacked(one.examples))
                if one
                else (0, "", "")
            )
            rows.append((former.path, former.collection_slug, *found, said))
        if not rows:
            return NOTHING
        head = ("Path", "Collection now", "Links", "Pages", "For example", "Decided")
        return joined((_ABOUT_FORMER, table(head, rows)))


def _paths(
    decision: CollectionsDecision, found: Sequence[RenamedCollection]
) -> list[tuple[FormerPath, RenamedCollection | None]]:
    """Return the paths that are proposed, then what is decided about others."""
    proposed = {_key(each.decision): each for each in found}
    decided = {_key(each): each for each in decision.former_paths}
    known = [(each.decision, each) for each in found]
    others = (former for key, former in decided.items() if key not in proposed)
    return [*known, *((former, None) for former in others)]


def _key(former: FormerPath) -> tuple[tuple[str, ...], str]:
    return former.parts, former.collection_id
