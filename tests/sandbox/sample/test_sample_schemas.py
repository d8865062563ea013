"""Every form of a collection's schema that is known of the origin is in the sample:
one row of the wire notes, one predicate."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from tests.sandbox.sample.reading import Sample

Predicate = Callable[[Sample], bool]
Row = tuple[str, Predicate]


def _type(name: str) -> Predicate:
    return lambda sample: any(field["type"] == name for _, field in sample.fields())


def _field(wanted: Callable[[dict[str, Any]], bool]) -> Predicate:
    return lambda sample: any(wanted(field) for _, field in sample.fields())


def _validation(kind: str, key: str) -> Predicate:
    return _field(lambda f: f["type"] == kind and key in (f["validations"] or {}))


_TYPES = (
    "Color DateTime Email ExtFileRef File Image Link MultiImage MultiReference Number "
    "Option Phone PlainText Reference RichText Switch VideoLink User ImageRef "
    "ImageRefSet ItemRef ItemRefSet Bool Date Video FileRef Set Price CommercePrice "
    "SkuSettings SkuValues TextOption MultiExternalFile MembershipPlan"
)

SCHEMAS: list[Row] = [
    *((f"type {name}", _type(name)) for name in re.split(" ", _TYPES)),
    ("help text null", _field(lambda f: f["helpText"] is None)),
    ("help text empty", _field(lambda f: f["helpText"] == "")),
    ("help text given", _field(lambda f: bool(f["helpText"]))),
    ("validations null", _field(lambda f: f["validations"] is None)),
    ("validations empty", _field(lambda f: f["validations"] == {})),
    *(
        (f"{kind} validation {key}", _validation(kind, key))
        for kind, key in (
            ("PlainText", "singleLine"),
            ("PlainText", "maxLength"),
            ("PlainText", "pattern"),
            ("PlainText", "messages"),
            ("Number", "format"),
            ("Number", "precision"),
            ("Number", "allowNegative"),
            ("Number", "minValue"),
            ("Number", "maxValue"),
            ("DateTime", "format"),
            ("Image", "acceptedExtensions"),
            ("TextOption", "enumName"),
            ("Option", "options"),
            ("Reference", "collectionId"),
            ("MultiReference", "collectionId"),
        )
    ),
    (
        "singleLine true",
        _field(lambda f: (f["validations"] or {}).get("singleLine") is True),
    ),
    (
        "singleLine false",
        _field(lambda f: (f["validations"] or {}).get("singleLine") is False),
    ),
    (
        "singleLine absent",
        _field(lambda f: f["type"] == "PlainText" and f["validations"] == {}),
    ),
    (
        "integer number",
        _field(lambda f: (f["validations"] or {}).get("format") == "integer"),
    ),
    (
        "decimal number",
        _field(lambda f: (f["validations"] or {}).get("format") == "decimal"),
    ),
    ("hyphen in a field's slug", _field(lambda f: "-" in f["slug"])),
    ("field's slug with a digit first", _field(lambda f: f["slug"][0].isdigit())),
    ("field's slug `component`", _field(lambda f: f["slug"] == "component")),
    ("field's slug `_uid`", _field(lambda f: f["slug"] == "_uid")),
    (
        "field slugs that collide",
        lambda s: any(
            max(Counter(f["slug"].replace("-", "_") for f in c["fields"]).values()) > 1
            for c in s.schemas.values()
        ),
    ),
    ("order-like number", _field(lambda f: f["slug"] == "sort-order")),
    (
        "two options of one label",
        _field(
            lambda f: (
                max(
                    Counter(
                        o["name"] for o in (f["validations"] or {}).get("options", [])
                    ).values(),
                    default=0,
                )
                > 1
            )
        ),
    ),
    (
        "options with keys in either order",
        lambda s: (
            {
                next(iter(o))
                for _, f in s.fields()
                for o in (f["validations"] or {}).get("options", [])
            }
            == {"id", "name"}
        ),
    ),
    (
        "groups of fields on one collection",
        lambda s: (
            [len(c["fieldGroups"]) for c in s.schemas.values() if "fieldGroups" in c]
            == [2]
        ),
    ),
    (
        "name and slug come last",
        lambda s: (
            {tuple(f["slug"] for f in c["fields"][-2:]) for c in s.schemas.values()}
            == {("name", "slug")}
        ),
    ),
    (
        "shop collections in the normal list",
        lambda s: {"product", "category", "sku"} <= set(s.schemas),
    ),
    (
        "reference into an unlisted collection",
        lambda s: any(
            f["validations"]["collectionId"]
            not in {c["id"] for c in s.schemas.values()}
            for _, f in s.fields()
            if f["type"] == "Reference" and f["validations"]
        ),
    ),
    (
        "required fields that drafts leave empty",
        lambda s: any(
            item["isDraft"] and not item["fieldData"].get(f["slug"])
            for slug, f in s.fields()
            if f["isRequired"]
            for item in s.staged[slug]
        ),
    ),
]


def test_schema_form_is_in_the_sample(sample: Sample) -> None:
    """Every row is found."""
    assert [row for row, found in SCHEMAS if not found(sample)] == []
