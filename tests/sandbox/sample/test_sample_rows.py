"""Every form of a field's value that is known of the origin is in the sample: one
row of the wire notes, one predicate."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from tests.sandbox.sample.reading import Sample

Predicate = Callable[[Sample], bool]
Row = tuple[str, Predicate]


def _any(types: str, wanted: Callable[[Any], bool]) -> Predicate:
    """Return whether a filled value of one of these types is as wanted."""
    return lambda sample: any(map(wanted, sample.values(*types.split())))


def _text(types: str, pattern: str) -> Predicate:
    return _any(
        types, lambda v: isinstance(v, str) and re.search(pattern, v) is not None
    )


def _most(values: Iterable[object]) -> int:
    """Return how often the commonest value occurs."""
    return max(Counter(values).values(), default=0)


def _slug(pattern: str) -> Predicate:
    return lambda sample: any(
        re.search(pattern, item["fieldData"]["slug"]) for _, item in sample.all_items()
    )


def _midnight(zone: str, hours: set[int]) -> Predicate:
    """Return whether a date-time is midnight in `zone` and has such a UTC hour."""

    def wanted(value: str) -> bool:
        at = datetime.fromisoformat(value.replace("Z", "+00:00"))
        local = at.astimezone(ZoneInfo(zone))
        return (local.hour, local.minute) == (0, 0) and at.hour in hours

    return _any("DateTime", wanted)


def _empty(kind: str, wanted: Callable[[dict[str, Any], str], bool]) -> Predicate:
    """Return whether a field of this type is empty in the wanted way."""

    def found(sample: Sample) -> bool:
        return any(
            wanted(item["fieldData"], field["slug"])
            for slug, field in sample.fields()
            if field["type"] == kind
            for item in sample.staged[slug]
        )

    return found


_ABSENT = ("absent", lambda data, key: key not in data)
_NULL = ("null", lambda data, key: key in data and data[key] is None)
_BLANK = ("an empty string", lambda data, key: data.get(key) == "")

VALUES: list[Row] = [
    ("Image: three keys", _any("Image", lambda v: list(v) == ["fileId", "url", "alt"])),
    ("Image: alt text", _any("Image", lambda v: bool(v.get("alt")))),
    ("Image: alt null", _any("Image", lambda v: v.get("alt", "") is None)),
    ("Image: alt empty", _any("Image", lambda v: v.get("alt") == "")),
    ("Image: alt absent", _any("ImageRefSet", lambda v: "alt" not in v[0])),
    ("Image: SVG", _any("Image", lambda v: v["url"].endswith(".svg"))),
    (
        "Image: address encoded",
        _any("Image", lambda v: "%E2%80%9C" in v["url"] and "%20" in v["url"]),
    ),
    ("Image: derived size", _any("Image", lambda v: "-p-500" in v["url"])),
    (
        "Image: other fileId than its address",
        _any("Image", lambda v: v["fileId"] not in v["url"]),
    ),
    (
        "Image: one file in several items",
        lambda s: _most(v["url"] for v in s.values("Image")) > 2,
    ),
    (
        "one file under two addresses",
        lambda s: (
            _most(
                file_id
                for file_id, _ in {
                    (v["fileId"], v["url"])
                    for values in s.values("MultiImage")
                    for v in values
                }
            )
            > 1
        ),
    ),
    ("MultiImage: several", _any("MultiImage", lambda v: len(v) >= 3)),
    ("MultiImage: empty list", _any("MultiImage", lambda v: v == [])),
    ("File: with alt", _any("File", lambda v: bool(v.get("alt")))),
    ("File: without alt", _any("FileRef", lambda v: "alt" not in v)),
    ("File: PDF", _any("File ExtFileRef", lambda v: v["url"].endswith(".pdf"))),
    (
        "MultiExternalFile: a list of files",
        _any("MultiExternalFile", lambda v: len(v) > 1),
    ),
    ("VideoLink: a string, watch page", _text("VideoLink", r"youtube\.com/watch")),
    ("VideoLink: a string, Vimeo", _text("VideoLink", r"^https://vimeo")),
    ("VideoLink: a string, short form", _text("VideoLink", r"youtu\.be/")),
    (
        "VideoLink: an object",
        _any(
            "VideoLink",
            lambda v: (
                isinstance(v, dict)
                and {
                    "html",
                    "type",
                    "title",
                    "width",
                    "height",
                    "provider_name",
                    "thumbnail_url",
                }
                <= set(v["metadata"])
            ),
        ),
    ),
    ("Color: #RRGGBB", _text("Color", r"^#[0-9a-fA-F]{6}$")),
    ("Color: #RGB", _text("Color", r"^#\w{3}$")),
    ("Color: #RGBA", _text("Color", r"^#\w{4}$")),
    ("Color: #RRGGBBAA", _text("Color", r"^#\w{8}$")),
    ("Color: rgb()", _text("Color", r"^rgb\(")),
    ("Color: rgba()", _text("Color", r"^rgba\(")),
    ("Color: hsl()", _text("Color", r"^hsl\(")),
    ("Color: hsla()", _text("Color", r"^hsla\(")),
    ("Color: a name", _text("Color", r"^gold$")),
    ("Color: transparent", _text("Color", r"^transparent$")),
    ("Color: empty string", _text("Color", r"^$")),
    ("Option: an id of the schema", lambda s: _options(s)[0] > 0),
    ("Option: an id no longer in the schema", lambda s: _options(s)[1] > 0),
    ("Reference: one id", _text("Reference", r"^[0-9a-f]{24}$")),
    ("MultiReference: fifty ids", _any("MultiReference", lambda v: len(set(v)) == 50)),
    (
        "MultiReference: in no natural order",
        _any(
            "MultiReference",
            lambda v: (
                None not in v
                and len(v) > 4
                and v not in (sorted(v), sorted(v, reverse=True))
            ),
        ),
    ),
    ("MultiReference: empty list", _any("MultiReference", lambda v: v == [])),
    (
        "MultiReference: left out of most items, an empty list in another",
        lambda s: any(
            len([e for e in s.staged[slug] if field["slug"] not in e["fieldData"]])
            > len(s.staged[slug]) / 2
            and any(e["fieldData"].get(field["slug"]) == [] for e in s.staged[slug])
            for slug, field in s.fields()
            if field["type"] == "MultiReference"
        ),
    ),
    (
        "MultiReference: holds an empty string",
        _any("MultiReference", lambda v: "" in v),
    ),
    ("MultiReference: holds null", _any("MultiReference", lambda v: None in v)),
    (
        "MultiReference: one id twice",
        _any("MultiReference", lambda v: len(v) > len(set(v))),
    ),
    ("reference within a collection", lambda s: any(a == b for a, b in _edges(s))),
    ("reference to itself", lambda s: _itself(s)),
    (
        "references both ways between two",
        lambda s: any(a != b and (b, a) in _edges(s) for a, b in _edges(s)),
    ),
    ("DateTime: milliseconds and Z", _text("DateTime", r"T\d\d:\d\d:\d\d\.\d{3}Z$")),
    ("DateTime: with a time", _text("DateTime", r"T14:35:")),
    ("DateTime: midnight in UTC", _midnight("UTC", {0})),
    ("DateTime: midnight at the site, summer", _midnight("Europe/Paris", {22})),
    ("DateTime: midnight at the site, winter", _midnight("Europe/Paris", {23})),
    ("Number: integer", _any("Number", lambda v: isinstance(v, int))),
    ("Number: float", _any("Number", lambda v: isinstance(v, float) and v % 1 != 0)),
    ("Number: negative", _any("Number", lambda v: v < 0)),
    ("Number: zero", _any("Number", lambda v: v == 0)),
    ("Number: finer than its precision", _any("Number", lambda v: v == 12.75)),
    ("Switch: true", _any("Switch", lambda v: v is True)),
    ("Switch: false", _any("Switch", lambda v: v is False)),
    ("Switch: never filled, absent", _empty("Switch", _ABSENT[1])),
    ("Email: an address", _text("Email", r"^\w+@saltmarsh\.example\.com$")),
    ("Email: no address", _text("Email", r"^not an address$")),
    ("Phone: a number", _text("Phone", r"^\+33 [\d ]+$")),
    ("Phone: no number", _text("Phone", r"^ask at")),
    ("Link: absolute", _text("Link", r"^https://tickets\.example\.com")),
    ("Link: relative", _text("Link", r"^/routes/")),
    ("Link: mail", _text("Link", r"^mailto:")),
    ("Link: telephone", _text("Link", r"^tel:")),
    ("Link: a file", _text("Link", r"^\{origin_files\}.*\.pdf$")),
    ("Link: script", _text("Link", r"^javascript:")),
    (
        "Link: into the site, first domain",
        _text("Link", r"^https://saltmarsh\.example\.com/"),
    ),
    (
        "Link: into the site, second domain",
        _text("Link", r"^https://shop\.saltmarsh\."),
    ),
    ("Link: into the site, with www", _text("Link", r"^https://www\.saltmarsh\.")),
    ("Link: into the site, platform domain", _text("Link", r"\.webflow\.io/")),
    ("PlainText: Markdown", _text("PlainText", r"^# .*\n\n.*\*\*")),
    ("PlainText: a file's address", _text("PlainText", r"\{origin_files\}.*\.pdf")),
    ("PlainText: several lines", _text("PlainText", r"\n")),
    *(
        (f"{kind}: never filled, {how}", _empty(kind, test))
        for kind in ("PlainText", "RichText", "Image", "Reference", "Link", "DateTime")
        for how, test in (_ABSENT, _NULL)
    ),
    *(
        (f"{kind}: never filled, {_BLANK[0]}", _empty(kind, _BLANK[1]))
        for kind in ("PlainText", "RichText", "Reference", "Link", "Email", "Color")
    ),
    ("Price: value and unit", _any("Price", lambda v: set(v) == {"value", "unit"})),
    (
        "SkuSettings: options of a product",
        _any("SkuSettings", lambda v: "enum" in v[0]),
    ),
    ("SkuValues: a map", _any("SkuValues", lambda v: isinstance(v, dict) and v != {})),
    ("TextOption: a string", _text("TextOption", r"-taxable$")),
    (
        "MembershipPlan: an object",
        _any("MembershipPlan", lambda v: isinstance(v, dict)),
    ),
    (
        "keys of the shop",
        lambda s: any(
            {
                "sku-properties",
                "default-sku",
                "ec-product-type",
                "tax-category",
                "shippable",
                "category",
            }
            <= set(item["fieldData"])
            for item in s.staged.get("product", [])
        ),
    ),
    (
        "keys and objects without a field",
        lambda s: any(
            set(item["fieldData"]) - {f["slug"] for f in s.schemas[slug]["fields"]}
            for slug, item in s.all_items()
        ),
    ),
    (
        "one slug in three collections",
        lambda s: (
            sum(
                any(i["fieldData"]["slug"] == "harrowmere" for i in items)
                for items in s.staged.values()
            )
            == 3
        ),
    ),
    ("slug with capitals", _slug(r"[A-Z]")),
    ("slug with three hyphens", _slug(r"---")),
    ("very long slug", _slug(r"^.{200,256}$")),
]


def _options(sample: Sample) -> tuple[int, int]:
    """Return how many Option values the schema knows, and how many it does not."""
    known = {
        option["id"]
        for _, field in sample.fields()
        if field["type"] == "Option"
        for option in field["validations"]["options"]
    }
    values = sample.values("Option")
    return sum(v in known for v in values), sum(v not in known for v in values)


def _edges(sample: Sample) -> set[tuple[str, str]]:
    """Return (from, to) of the collections that references tie."""
    existing = sample.existing()
    return {
        (slug, existing[target])
        for slug, _, target in sample.references()
        if target in existing
    }


def _itself(sample: Sample) -> bool:
    return any(item["id"] == target for _, item, target in sample.references())


def test_value_form_is_in_the_sample(sample: Sample) -> None:
    """Every row is found."""
    assert [row for row, found in VALUES if not found(sample)] == []
