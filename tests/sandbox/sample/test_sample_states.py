"""Every publication state and every cause of a dangling reference that is known of
the origin is in the sample: one row of the wire notes, one predicate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.sandbox.sample.reading import Sample

Predicate = Callable[[Sample], bool]
Row = tuple[str, Predicate]


def _state(
    *, draft: bool, archived: bool, live: bool, dated: bool, edited: bool | None = None
) -> Predicate:
    """Return a test of an item's state: booleans, live set, dates."""

    def found(sample: Sample) -> bool:
        keys = sample.live_keys()
        return any(
            (item["isDraft"], item["isArchived"]) == (draft, archived)
            and (key in keys) is live
            and (item["lastPublished"] is not None) is dated
            and (
                edited is None
                or (item["lastPublished"] < item["lastUpdated"]) is edited
            )
            for key, item in sample.staged_by_key().items()
        )

    return found


def _differs(sample: Sample, *, draft: bool) -> bool:
    """Return whether a live item's content differs from the staged one's."""
    staged = sample.staged_by_key()
    return any(
        staged[key]["isDraft"] is draft
        and staged[key]["fieldData"] != item["fieldData"]
        for items in sample.live.values()
        for item in items
        if (key := (item["id"], item["cmsLocaleId"])) in staged
    )


def dangles(why: Callable[[Sample, str, str, str], bool]) -> Predicate:
    """Return whether a reference's target is missing for this reason."""

    def found(sample: Sample) -> bool:
        return any(
            why(sample, slug, item["cmsLocaleId"], target)
            for slug, item, target in sample.references()
            if isinstance(target, str) and target
        )

    return found


def target_of(sample: Sample, locale: str, target: str) -> dict[str, Any]:
    return sample.staged_by_key().get((target, locale), {})


STATES: list[Row] = [
    (
        "one locale, which is not enabled and has a subdirectory without pages",
        lambda s: (
            [
                s.site["locales"]["primary"][e]
                for e in ("enabled", "redirect", "subdirectory")
            ]
            == [False, True, "en"]
            and s.site["locales"]["secondary"] == []
        ),
    ),
    (
        "pages of no locale, the home page without a slug",
        lambda s: (
            {each["localeId"] for each in s.pages} == {None}
            and [e["publishedPath"] for e in s.pages if e["slug"] is None] == ["/"]
        ),
    ),
    (
        "a template page for each collection, one not at the slug of its collection",
        lambda s: (
            {
                e["collectionId"]: e["publishedPath"]
                for e in s.pages
                if e["collectionId"]
            }
            == {
                each["id"]: "/about/press" if slug == "press" else f"/{slug}"
                for slug, each in s.schemas.items()
            }
        ),
    ),
    (
        "published",
        _state(draft=False, archived=False, live=True, dated=True, edited=False),
    ),
    (
        "changes in draft",
        _state(draft=True, archived=False, live=True, dated=True, edited=True),
    ),
    (
        "draft, or unpublished",
        _state(draft=True, archived=False, live=False, dated=False),
    ),
    (
        "queued, never live",
        _state(draft=False, archived=False, live=False, dated=False),
    ),
    (
        "queued, live with older content",
        _state(draft=False, archived=False, live=True, dated=True, edited=True),
    ),
    ("archived", _state(draft=False, archived=True, live=False, dated=False)),
    ("archived draft", _state(draft=True, archived=True, live=False, dated=False)),
    ("archived, still live", _state(draft=False, archived=True, live=True, dated=True)),
    ("changes in draft: live content differs", lambda s: _differs(s, draft=True)),
    ("queued: live content differs", lambda s: _differs(s, draft=False)),
    (
        "live slug differs from the staged one",
        lambda s: any(
            staged[key]["fieldData"]["slug"] != item["fieldData"]["slug"]
            for staged in [s.staged_by_key()]
            for items in s.live.values()
            for item in items
            if (key := (item["id"], item["cmsLocaleId"])) in staged
        ),
    ),
    (
        "live and no longer staged",
        lambda s: bool(s.live_keys() - set(s.staged_by_key())),
    ),
    (
        "live records are neither drafts nor archived",
        lambda s: (
            {
                item["isDraft"] or item["isArchived"]
                for items in s.live.values()
                for item in items
            }
            == {False}
        ),
    ),
    (
        "a locale's id is not the items' locale id",
        lambda s: (
            s.site["locales"]["primary"]["id"]
            != s.site["locales"]["primary"]["cmsLocaleId"]
        ),
    ),
    (
        "two custom domains and the platform's",
        lambda s: (
            len(s.site["customDomains"]) == 2
            and bool(s.site["shortName"])
            and "://" not in s.site["customDomains"][0]["url"]
        ),
    ),
    (
        "dangling: target a draft",
        dangles(
            lambda s, _, locale, t: (
                target_of(s, locale, t).get("isDraft") is True
                and (t, locale) not in s.live_keys()
            )
        ),
    ),
    (
        "dangling: target archived",
        dangles(
            lambda s, _, locale, t: target_of(s, locale, t).get("isArchived") is True
        ),
    ),
    (
        "dangling: target deleted",
        dangles(lambda s, *where: where[-1] not in s.existing()),
    ),
    (
        "dangling: collection not listed",
        lambda s: any(
            item["fieldData"].get("sponsor") for item in s.staged.get("routes", [])
        ),
    ),
    (
        "dangling: target in the live set only",
        dangles(
            lambda s, _, locale, t: (
                (t, locale) in s.live_keys() and not target_of(s, locale, t)
            )
        ),
    ),
    (
        "dangling: target in the staged set only",
        dangles(
            lambda s, _, locale, t: (
                (t, locale) not in s.live_keys()
                and target_of(s, locale, t).get("isDraft") is False
                and target_of(s, locale, t)["isArchived"] is False
            )
        ),
    ),
    ("dangling: empty string", lambda s: any(t == "" for _, _, t in s.references())),
]


def test_state_is_in_the_sample(sample: Sample) -> None:
    """Every row is found."""
    assert [row for row, found in STATES if not found(sample)] == []
