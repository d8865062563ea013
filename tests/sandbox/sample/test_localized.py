"""The sample site in two languages: every way in which the languages of an item differ
that is known of the origin, one predicate each, and links from one to the other."""

from __future__ import annotations

import re
from itertools import pairwise

from tests.sandbox.sample.reading import Sample
from tests.sandbox.sample.test_sample_states import Row, dangles, target_of

LANGUAGES: list[Row] = [
    (
        "states differ between locales",
        lambda s: (
            sum(
                len({item["isDraft"] for item in variants}) > 1
                for variants in s.variants().values()
            )
            >= 3
        ),
    ),
    (
        "live in one locale only",
        lambda s: any(
            len(
                {
                    (item["id"], item["cmsLocaleId"]) in s.live_keys()
                    for item in variants
                }
            )
            > 1
            for variants in s.variants().values()
        ),
    ),
    (
        "variants next to each other",
        lambda s: any(
            a["id"] == b["id"]
            for items in s.staged.values()
            for a, b in pairwise(items)
        ),
    ),
    ("in the primary locale only", lambda s: _locales(s, 0)),
    ("in the secondary locale only", lambda s: _locales(s, 1)),
    (
        "two locales, the primary without a folder",
        lambda s: (
            (
                s.site["locales"]["primary"]["subdirectory"],
                s.site["locales"]["primary"]["tag"],
                [(x["subdirectory"], x["tag"]) for x in s.site["locales"]["secondary"]],
            )
            == ("", "en", [("fr", "fr-FR")])
        ),
    ),
    (
        "dangling: target in the other locale only",
        dangles(
            lambda s, _, locale, t: (
                t in s.existing()
                and not target_of(s, locale, t)
                and t in {item_id for item_id, _ in s.staged_by_key()}
            )
        ),
    ),
    (
        "own slug per locale",
        lambda s: any(len(slugs) > 1 for slugs in _slugs(s).values()),
    ),
    (
        "one slug in both locales",
        lambda s: any(
            len(slugs) == 1 and len(variants) > 1
            for slugs, variants in zip(
                _slugs(s).values(), s.variants().values(), strict=True
            )
        ),
    ),
]


def _locales(sample: Sample, index: int) -> bool:
    """Return whether an item exists in the primary (0) or secondary (1) alone."""
    locales = sample.site["locales"]
    wanted = [locales["primary"], *locales["secondary"]][index]["cmsLocaleId"]
    return any(
        [item["cmsLocaleId"] for item in variants] == [wanted]
        for variants in sample.variants().values()
    )


def _slugs(sample: Sample) -> dict[str, set[str]]:
    return {
        item_id: {item["fieldData"]["slug"] for item in variants}
        for item_id, variants in sample.variants().items()
    }


def test_difference_is_in_the_localized_sample(localized: Sample) -> None:
    """Every row is found."""
    assert [row for row, found in LANGUAGES if not found(localized)] == []


def test_links_between_languages_lead_to_items(
    localized: Sample, sample: Sample
) -> None:
    """In texts of both; the site in one language has none of them."""
    french = localized.site["locales"]["secondary"][0]["cmsLocaleId"]
    known = {
        f"/fr/{slug}/{item['fieldData']['slug']}"
        for slug, item in localized.all_items()
        if item["cmsLocaleId"] == french
    }
    links = re.findall(r"/fr/\w+/[^\"'?#<>]+", "".join(localized.bodies()))
    assert len(set(links)) >= 4
    assert {link.rstrip("/") for link in links} <= known
    assert not sample.has("/fr/")
