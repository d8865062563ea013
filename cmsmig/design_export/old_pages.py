"""Where the old site has the pages of a content type, and what is in their heads."""

from __future__ import annotations

from collections.abc import Iterator

from cmsmig.counting import counted
from cmsmig.design_export.languages import SiteLanguage, site_languages
from cmsmig.design_export.markdown_text import code, table, text
from cmsmig.mapping.select.old_paths import joined
from cmsmig.steps.decide.decided_design import DecidedDesign
from cmsmig.steps.decide.pulled_origin import Origin

_SLUG = "SLUG"


def old_pages(decided: DecidedDesign, collection_id: str) -> Iterator[str]:
    """Yield the lines of the reference page about the old pages of a collection, and
    how many stories exist in each language; nothing without a complete pull.

    Patterns are as the origin's list of pages has them.
    """
    origin = decided.origin
    if origin is None:
        return
    languages = site_languages(decided, collection_id)
    yield from (
        f"Old pages: {'; '.join(_paths(origin, collection_id, languages))}.",
        "",
    )
    patterns = [*_patterns(origin, collection_id)]
    if patterns:
        yield from ("What the template page has in its head:", "")
        yield from table(("Language", "What", "Pattern"), patterns)


def _paths(
    origin: Origin, collection_id: str, languages: tuple[SiteLanguage, ...]
) -> Iterator[str]:
    """Yield the path of the pages, in each language with its stories."""
    if len(languages) < 2:
        own = languages[0].locale.locale_id if languages else ""
        yield _path(origin, collection_id, own)
        return
    for each in languages:
        path = _path(origin, collection_id, each.locale.locale_id)
        stories = counted(each.stories or 0, "story", "stories")
        yield f"{code(each.locale.tag)} {path} ({stories})"


def _path(origin: Origin, collection_id: str, locale_id: str) -> str:
    folder = origin.old_paths.folder(collection_id, locale_id)
    return code(joined((*folder, _SLUG)))


def _patterns(origin: Origin, collection_id: str) -> Iterator[tuple[str, str, str]]:
    locales = origin.site.locales
    tags = {name: each.tag for each in locales for name in each.names}
    primary = "".join(each.tag for each in locales if each.primary)
    for collection in origin.collections:
        if collection.collection_id != collection_id:
            continue
        for page in collection.templates:
            tag = tags.get(page.locale_id, primary)
            for what, pattern in page.head:
                yield text(tag), what, code(pattern)
