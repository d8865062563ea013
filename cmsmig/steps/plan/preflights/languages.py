"""The languages of translated fields: the space has to have them."""

from __future__ import annotations

from cmsmig.errors import PreflightError
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.preflights.findings import Preflight, PreflightKind
from cmsmig.steps.snapshot import Snapshot


def find_missing_languages(
    migration: Migration, snapshot: Snapshot
) -> tuple[Preflight, ...]:
    """Return a finding for each language of translated fields that the space lacks.

    Source: destination, content rules: the space must list the language; without it
    the values are kept, and nobody sees them.
    """
    there = {_plain(code) for code in snapshot.space.languages}
    named = ", ".join(snapshot.space.languages) or "none beside the default one"
    return tuple(
        Preflight(
            kind=PreflightKind.LANGUAGE,
            text=(
                f"The space has no language `{each.code}` (it has {named}), so nobody "
                f"would see the values in {each.name or each.tag}; add it in the "
                "space's settings under Internationalization, or decide its code as "
                "`language` of the locale in decisions/collections.yaml."
            ),
        )
        for each in migration.decisions.collections.translations
        if _plain(each.code) not in there
    )


def refuse_missing_languages(migration: Migration, snapshot: Snapshot) -> None:
    """Raise `PreflightError` when the space lacks a language."""
    for each in find_missing_languages(migration, snapshot):
        raise PreflightError(each.text)


def _plain(code: str) -> str:
    return code.replace("_", "-").lower()
