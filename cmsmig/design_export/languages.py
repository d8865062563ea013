"""The languages of the new site: how a front end asks for each, and how many stories
exist in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from cmsmig.canonical import Json, JsonObject
from cmsmig.design_export.markdown_text import code, table, text
from cmsmig.mapping.decisions.choices import Languages, LocaleChoice
from cmsmig.mapping.select.translations import count_languages
from cmsmig.steps.decide.decided_design import DecidedDesign

_MODES: Mapping[Languages, str] = {
    Languages.FIELDS: (
        "Each item is one story that has all languages (`languages: fields`). The "
        "service delivers every story in every language, with the primary language's "
        "text where the story does not exist in it. In which languages a story exists "
        "is in its `translated_slugs`, in the rows with a name; docs/front-end.md of "
        "cmsmig has the code."
    ),
    Languages.FOLDERS: (
        "Each language has stories of its own (`languages: folders`). The same page in "
        "other languages is in `alternates`. A language without a folder has all paths "
        "that are in no folder of another language."
    ),
}


@dataclass(frozen=True, slots=True)
class SiteLanguage:
    """One language of the new site."""

    locale: LocaleChoice
    code: str
    """What `language` of a request has to be; empty for the primary language, and where
    languages are in folders."""
    folder: str
    """The folder that holds all stories of the language; empty for none."""
    stories: int | None
    """How many exist in it; None without a complete pull."""

    @property
    def asked(self) -> str:
        """Return the parameter that asks for it; empty where there is none."""
        if self.code:
            return f"language={self.code}"
        return f"starts_with={self.folder}/" if self.folder else ""

    def as_json(self) -> JsonObject:
        """Return it as `languages.json` has it."""
        return {
            "tag": self.locale.tag,
            "name": self.locale.name,
            "primary": self.locale.primary,
            "code": self.code,
            "folder": self.folder,
            "stories": self.stories,
        }


def site_languages(
    decided: DecidedDesign, collection_id: str = ""
) -> tuple[SiteLanguage, ...]:
    """Return the languages of a site, with the stories of one collection or of all."""
    decision = decided.collections
    entries = (
        entry
        for own, selection in decided.selections.items()
        if collection_id in ("", own)
        for entry in selection.selected
    )
    as_fields = decision.languages is Languages.FIELDS
    return tuple(
        SiteLanguage(
            each.locale,
            code=each.locale.code if as_fields and not each.locale.primary else "",
            folder="" if as_fields else each.locale.folder,
            stories=each.items if decided.origin else None,
        )
        for each in count_languages(entries, decision.locales)
    )


def languages_file(decided: DecidedDesign) -> Json:
    """Return what `languages.json` holds."""
    return {
        "mode": str(decided.collections.languages),
        "languages": [each.as_json() for each in site_languages(decided)],
    }


def languages_section(decided: DecidedDesign) -> Iterator[str]:
    """Yield the lines of the reference page about languages."""
    found = site_languages(decided)
    if not found:
        return
    yield from ("## Languages", "")
    if len(found) > 1:
        yield from (_MODES[decided.collections.languages], "")
    rows = [
        (
            text(each.locale.name) + (" (primary)" if each.locale.primary else ""),
            code(each.locale.tag),
            code(each.asked) if each.asked else "",
            "" if each.stories is None else f"{each.stories:,}",
        )
        for each in found
    ]
    head = ("Language", "`<html lang>`", "Ask with", "Stories that exist in it")
    yield from table(head, rows)
