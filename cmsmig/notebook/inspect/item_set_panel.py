"""Notebook 01, last part: which item set is imported, per collection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cmsmig.mapping.decisions.body_reviews import IN_BULK, INDIVIDUALLY
from cmsmig.mapping.decisions.choices import (
    CollectionChoice,
    CollectionsDecision,
    Languages,
    MissingLanguage,
)
from cmsmig.mapping.propose.former_paths import RenamedCollection
from cmsmig.notebook.inspect.former_path_rows import (
    former_path_rows,
    former_paths_html,
)
from cmsmig.notebook.inspect.item_choices import (
    LANGUAGES,
    MISSING_LANGUAGE,
    RULES,
    Effects,
    Rule,
    choices_table,
    current_choices,
    describe,
    is_changed,
    parse_item_set,
    sign,
    standing_html,
    with_set,
)
from cmsmig.notebook.kit import widgets
from cmsmig.notebook.kit.panel import Panel
from cmsmig.notebook.kit.reviewer import known_reviewer, remember_reviewer
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.steps.decide.decision_store import write_decision
from cmsmig.steps.decide.pulled_origin import Origin, renamed_collections
from cmsmig.ui.html.safe_html import NOTHING, paragraph, sheet

_ALL = "all collections"
_MIXED = ("differs by collection", "")


def item_sets(
    workspace: Workspace, origin: Origin, reviewer: str, item_set: str
) -> Panel:
    """Show and decide which items of each collection are imported.

    Unattended with `item_set`, every collection gets that set and the decision is
    written, in bulk, by `reviewer`; without, it shows what stands or is proposed
    and writes nothing. Raises `UsageError` for an unknown set or no reviewer.
    """
    before = current_choices(workspace, origin)
    renamed = renamed_collections(origin)
    decision = with_set(before, parse_item_set(item_set)) if item_set else before
    if workspace.interactive:
        return workspace.panel(
            NOTHING,
            lambda: (
                _Form(
                    workspace,
                    origin,
                    renamed,
                    decision,
                    reviewer or known_reviewer(workspace),
                ).element
            ),
        )
    if item_set and not workspace.dry_run and is_changed(before, decision):
        decision = sign(decision, reviewer, IN_BULK)
        write_decision(workspace.project, decision)
    return workspace.panel(
        sheet(
            standing_html(decision),
            choices_table(origin, decision),
            former_paths_html(decision, renamed),
        ),
        text=describe(decision),
    )


class _Form:
    """A line per collection, the reviewer's name, and the button that writes."""

    def __init__(
        self,
        workspace: Workspace,
        origin: Origin,
        renamed: Sequence[RenamedCollection],
        decision: CollectionsDecision,
        reviewer: str,
    ) -> None:
        self._workspace = workspace
        self._origin = origin
        self._decision = decision
        self._board = widgets.Board()
        self._standing = widgets.Html(sheet(standing_html(decision)))
        self._effects = Effects(origin, decision)
        self._table = widgets.Html()
        self._scope = ""
        scopes = [(_ALL, "")]
        scopes += [
            (each.display_name, each.collection_id) for each in origin.collections
        ]
        self._for = self._board.choice(
            "item-set-for", "Choose for", scopes, "", changed=self._narrow
        )
        self._rules = [
            (
                rule,
                self._board.choice(
                    rule.control, rule.label, [_MIXED], "", changed=self._take
                ),
            )
            for rule in RULES
        ]
        self._languages = self._board.choice(
            "item-set-languages", "Languages", LANGUAGES, decision.languages
        )
        self._missing = self._board.choice(
            "item-set-missing",
            "References to what lacks a language",
            MISSING_LANGUAGE,
            decision.missing_language,
        )
        self._renamed = renamed
        self._former = former_path_rows(self._board, decision, renamed)
        self._reviewer = self._board.text(
            "item-set-reviewer", "Reviewer", reviewer, hint="your name"
        )
        self.element = self._laid_out()
        self._show()

    def _laid_out(self) -> widgets.Element:
        save = self._board.button(
            "item-set-save",
            "Write decisions/collections.yaml",
            self._save,
            look="primary",
        )
        about = paragraph(
            "Choose for all collections first, then for each one that differs. The "
            "number of a choice is what it would import, under Publish what it would "
            "publish. Archived items that are still online have visitors; queued ones "
            "go live with the next publish of the site. Single items are decided under "
            "`apart` in the file. Nothing is written before you press the button."
        )
        return widgets.column(
            widgets.Html(sheet(about)),
            self._standing,
            widgets.row(self._for, *(control for _, control in self._rules)),
            self._table,
            *self._language_row(),
            widgets.Html(sheet(former_paths_html(self._decision, self._renamed))),
            *(each.control for each in self._former),
            widgets.row(self._reviewer, save),
            self._board.messages,
        )

    def _language_row(self) -> tuple[widgets.Element, ...]:
        """Return the choices about languages, on a site that has several."""
        if sum(each.migrate for each in self._decision.locales) < 2:
            return ()
        return (widgets.row(self._languages, self._missing),)

    def _chosen(self) -> CollectionsDecision:
        """Return the decision with what the controls say now."""
        return replace(
            self._decision,
            languages=Languages(self._languages.value),
            missing_language=MissingLanguage(self._missing.value),
            former_paths=tuple(filter(None, (each.chosen() for each in self._former))),
        )

    def _scoped(self) -> list[CollectionChoice]:
        """Return the choices of the collections that the controls are about."""
        return [
            each
            for each in self._decision.collections
            if self._scope in ("", each.collection_id)
        ]

    def _narrow(self) -> None:
        self._scope = self._for.value
        self._show()

    def _take(self) -> None:
        """Change the collections that the controls are about as the controls say."""
        changed = {each.collection_id: each for each in self._scoped()}
        for rule, control in self._rules:
            for key, each in changed.items():
                changed[key] = rule.with_value(each, control.value)
        collections = tuple(
            changed.get(each.collection_id, each) for each in self._decision.collections
        )
        # Offering options ends here too.
        if collections != self._decision.collections:
            self._decision = replace(self._decision, collections=collections)
            self._show()

    def _show(self) -> None:
        scoped = self._scoped()
        for rule, control in self._rules:
            options = [
                (f"{label} ({self._brought(rule, scoped, value):,})", value)
                for label, value in rule.options
            ]
            values = {rule.value(each) for each in scoped}
            mixed = [_MIXED] if len(values) != 1 else []
            control.offer(mixed + options, "" if mixed else values.pop())
        self._table.show(
            sheet(choices_table(self._origin, self._decision, self._effects))
        )

    def _brought(
        self, rule: Rule, scoped: Sequence[CollectionChoice], value: str
    ) -> int:
        """Return what a choice would import, or publish."""
        would = self._effects.total([rule.with_value(each, value) for each in scoped])
        return would.published if rule.field == "publish" else would.imported

    def _save(self) -> None:
        decision = sign(self._chosen(), self._reviewer.value, INDIVIDUALLY)
        if self._workspace.dry_run:
            self._board.say("This is a dry run: nothing was written.", "warning")
            return
        path = write_decision(self._workspace.project, decision)
        self._decision = decision
        self._standing.show(sheet(standing_html(decision)))
        self._board.say(f"{path} is written.", "good")
        remember_reviewer(self._workspace, self._reviewer.value)
