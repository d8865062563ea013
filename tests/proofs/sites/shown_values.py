"""What a visitor sees of a value: of the origin's and of a delivered one, in one form.

Shares no code with the kit: values of the origin are read as its API documents them,
delivered ones as a front end would show them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from html.parser import HTMLParser
from typing import Any
from zoneinfo import ZoneInfo

_WORD = re.compile(r"\w+")
_HREF = re.compile(r"""href\s*=\s*["']([^"']*)["']""", re.IGNORECASE)
_FILE = re.compile(r"http://127\.0\.0\.1:\d+/\S+\w")
_LINK_KEYS = ("href", "cached_url", "url")
_FORMER = {
    "Bool": "Switch",
    "Date": "DateTime",
    "ExtFileRef": "File",
    "FileRef": "File",
    "ImageRef": "Image",
    "ImageRefSet": "MultiImage",
    "ItemRef": "Reference",
    "ItemRefSet": "MultiReference",
    "MultiExternalFile": "MultiImage",
    "Set": "MultiImage",
    "Video": "VideoLink",
}
"""Types as version 1 of the origin's API names them, and as version 2 does."""
_NO_TEXT_KEYS = frozenset(
    (
        *("_uid", "_editable", "id", "component"),
        *("type", "fieldtype", "linktype", "textAlign"),
    )
)
"""Keys whose texts visitors do not see."""


class Html(HTMLParser):
    """The words and links of an HTML text, and whether it shows anything."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text = ""
        self.hrefs: list[str] = []
        self.shows_media = False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "a" and given.get("href"):
            self.hrefs.append(str(given["href"]))
        self.shows_media |= tag in ("img", "iframe", "hr") or (
            "data-rt-embed-type" in given
        )

    def handle_data(self, data: str) -> None:
        self.text += f" {data}" if self.cdata_elem is None else ""

    @property
    def words(self) -> frozenset[str]:
        """Return the words that it shows."""
        return words(self.text)


def kind_of(field: dict) -> str:
    """Return the type of a field as version 2 of the origin's API names it."""
    return _FORMER.get(field["type"], field["type"])


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(_WORD.findall(text))


def without_files(text: str) -> str:
    """Return a text without the addresses of files, which move."""
    return _FILE.sub("", text)


def is_nothing(value: Any) -> bool:
    """Return whether a value shows nothing; zero does."""
    return value is False or value in (None, "", [], {})


Bytes = Callable[[str], "str | None"]
"""Returns a fingerprint of the file at an address; None where there is none."""


class OriginValues:
    """The forms of the origin's values."""

    def __init__(
        self,
        read: Bytes,
        zone: str,
        stories: Callable[[str, str], str | None],
        options: Mapping[str, str],
    ) -> None:
        """`stories` returns the UUID of the story of an item, by collection and id;
        `options` are the names of what variants differ by, by id."""
        self._read, self._zone, self._stories = read, ZoneInfo(zone), stories
        self._forms: Mapping[str, Callable[[dict, Any], Any]] = {
            "image": lambda _, value: self._file(value),
            "file": lambda _, value: self._file(value),
            "multiimage": lambda _, value: [*map(self._file, value)] or None,
            "videolink": lambda _, value: _address(value) or None,
            "link": lambda _, value: _address(value),
            "option": _chosen,
            "number": lambda _, value: float(value),
            "skuvalues": lambda _, value: frozenset(
                f"{options[what]}: {options[chosen]}" for what, chosen in value.items()
            ),
            "switch": lambda _, value: bool(value),
            "datetime": lambda _, value: self._days(value),
            "color": lambda _, value: value,
            "price": lambda _, value: _price(value),
            "commerceprice": lambda _, value: _price(value),
            "reference": lambda field, value: self._items(field, [value]),
            "multireference": self._items,
        }

    def form(self, field: dict, value: Any) -> Any:
        """Return what visitors see of a value; None where that is nothing."""
        kind = kind_of(field)
        if kind == "RichText":
            html = Html(value or "")
            return html if html.words or html.shows_media else None
        if is_nothing(value):
            return None
        if made := self._forms.get(kind.lower()):
            return made(field, value)
        if isinstance(value, dict | list):
            return json.dumps(value, sort_keys=True)
        return without_files(str(value))

    def _file(self, value: dict) -> Any:
        return (value.get("url") and self._read(value["url"])) or None

    def _days(self, value: str) -> Any:
        """A day as the origin's API has it, and as the site shows it."""
        moment = datetime.fromisoformat(value)
        return {value[:10], f"{moment.astimezone(self._zone):%Y-%m-%d}"}

    def _items(self, field: dict, value: list) -> Any:
        into = field["validations"]["collectionId"]
        found = [self._stories(into, each) for each in value]
        return [each for each in found if each] or None


def _address(value: Any) -> Any:
    return value if isinstance(value, str) else value.get("url")


def _chosen(field: dict, value: str) -> Any:
    options = (field.get("validations") or {}).get("options") or []
    return next((e["name"] for e in options if e["id"] == value), None)


def _price(value: Any) -> Any:
    """An amount in cents, and its currency; each is a field of its own."""
    return {f"{value['value'] / 100:g}", value["unit"]}


class DeliveredValues:
    """The forms of delivered values."""

    def __init__(self, read: Bytes) -> None:
        self._read = read
        self._forms: Mapping[str, Callable[[Any], Any]] = {
            "image": self._file,
            "file": self._file,
            "multiimage": lambda value: [*map(self._file, value)] or None,
            "videolink": lambda value: (
                value[0]["url"] if isinstance(value, list) else _destination(value)
            ),
            "link": _destination,
            "number": float,
            "switch": bool,
            "datetime": lambda value: value[:10],
            "color": lambda value: (
                value["color"] or None if isinstance(value, dict) else value
            ),
            "json": _json,
            "skuvalues": lambda value: frozenset(value.split("; ")),
            "skusettings": _json,
            "membershipplan": _json,
            # Options of one name are distinguished by a number.
            "option": lambda value: re.sub(r" \(\d+\)$", "", value),
            "reference": lambda value: value if isinstance(value, list) else [value],
            "multireference": lambda value: (
                value if isinstance(value, list) else [value]
            ),
        }

    def form(self, kind: str, value: Any) -> Any:
        """Return what visitors see of a value; None where that is nothing."""
        if kind == "RichText":
            return value if _shows(value) else None
        if is_nothing(value):
            return None
        made = self._forms.get(kind.lower())
        return made(value) if made else without_files(str(value))

    def _file(self, value: dict) -> Any:
        return (value.get("filename") and self._read(value["filename"])) or None


def _destination(value: Any) -> Any:
    if isinstance(value, str):
        return value
    if value["linktype"] == "email":
        return f"mailto:{value['email']}"
    return (value["url"] or value["cached_url"]) or None


def _json(value: str) -> Any:
    read = json.loads(value)
    return json.dumps(read, sort_keys=True) if read else None


def _shows(value: Any) -> bool:
    """Return whether a document or blocks show anything."""
    if isinstance(value, str):
        return bool(value.strip())
    return any(
        node.get("type") in ("image", "horizontal_rule")
        or any(
            isinstance(each, str) and each.strip() and key not in _NO_TEXT_KEYS
            for key, each in node.items()
        )
        for node in nodes(value)
    )


def nodes(value: Any) -> Iterator[dict]:
    """Yield every object in a value."""
    if isinstance(value, dict):
        yield value
    held = value.values() if isinstance(value, dict) else value
    for each in held if isinstance(value, dict | list) else ():
        yield from nodes(each)


def shown_words(value: Any) -> frozenset[str]:
    """Return the words of every text in a delivered value."""
    found: set[str] = set(words(value)) if isinstance(value, str) else set()
    for node in nodes(value):
        for key, each in node.items():
            if isinstance(each, str) and key not in _NO_TEXT_KEYS:
                found |= words(each) | (Html(each).words if "<" in each else set())
    return frozenset(found)


def shown_links(value: Any) -> set[str]:
    """Return the paths and addresses that a delivered value links to."""
    found: set[str] = set()
    for node in nodes(value):
        for key, each in node.items():
            if isinstance(each, str):
                found.update(_HREF.findall(each))
                found.update([each] if key in _LINK_KEYS and each else ())
    return {as_path(each) for each in found}


def story_links(value: Any) -> set[str]:
    """Return the paths of the links to stories in a delivered value."""
    return {
        as_path(str(node.get("href") or node.get("cached_url")))
        for node in nodes(value)
        if node.get("linktype") == "story"
    }


def as_path(address: str) -> str:
    """Return an address without its query and fragment, and the slashes around it."""
    return re.split(r"[?#]", address)[0].strip("/")
