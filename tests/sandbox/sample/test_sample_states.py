"""Every publication state and every cause of a dangling reference that is known of
the origin is in the sample: one row of the wire notes, one predicate."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
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


def _dangles(why: Callable[[Sample, str, str, str], bool]) -> Predicate:
    """Return whether a reference's target is missing for this reason."""

    def found(sample: Sample) -> bool:
        return any(
            why(sample, slug, item["cmsLocaleId"], target)
            for slug, item, target in sample.references()
            if isinstance(target, str) and target
        )

    return found


def _target(sample: Sample, locale: str, target: str) -> dict[str, Any]:
    return sample.staged_by_key().get((target, locale), {})


STATES: list[Row] = [
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
        _dangles(
            lambda s, _, locale, t: (
                _target(s, locale, t).get("isDraft") is True
                and (t, locale) not in s.live_keys()
            )
        ),
    ),
    (
        "dangling: target archived",
        _dangles(
            lambda s, _, locale, t: _target(s, locale, t).get("isArchived") is True
        ),
    ),
    (
        "dangling: target in the other locale only",
        _dangles(
            lambda s, _, locale, t: (
                t in s.existing()
                and not _target(s, locale, t)
                and t in {item_id for item_id, _ in s.staged_by_key()}
            )
        ),
    ),
    (
        "dangling: target deleted",
        _dangles(lambda s, *where: where[-1] not in s.existing()),
    ),
    (
        "dangling: collection not listed",
        lambda s: any(
            item["fieldData"].get("sponsor") for item in s.staged.get("routes", [])
        ),
    ),
    (
        "dangling: target in the live set only",
        _dangles(
            lambda s, _, locale, t: (
                (t, locale) in s.live_keys() and not _target(s, locale, t)
            )
        ),
    ),
    (
        "dangling: target in the staged set only",
        _dangles(
            lambda s, _, locale, t: (
                (t, locale) not in s.live_keys()
                and _target(s, locale, t).get("isDraft") is False
                and _target(s, locale, t)["isArchived"] is False
            )
        ),
    ),
    ("dangling: empty string", lambda s: any(t == "" for _, _, t in s.references())),
]


def _locales(sample: Sample, index: int) -> bool:
    """Return whether an item exists in the primary (0) or secondary (1) alone."""
    locales = sample.site["locales"]
    wanted = [locales["primary"], *locales["secondary"]][index]["cmsLocaleId"]
    return any(
        [item["cmsLocaleId"] for item in variants] == [wanted]
        for variants in sample.variants().values()
    )


def test_state_is_in_the_sample(sample: Sample) -> None:
    """Every row is found."""
    assert [row for row, found in STATES if not found(sample)] == []
