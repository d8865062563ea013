"""Readers of single settings: what was written in, what is meant out.

Each takes a text (from the environment) or a value of TOML and raises
`ValueError` with what to write instead.
"""
# ruff: noqa: TRY004 - pydantic takes a ValueError as a finding, a TypeError not

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from pathlib import Path, PureWindowsPath
from urllib.parse import SplitResult, urlsplit

from cmsmig.configuration.plans import plan_name
from cmsmig.configuration.token_hosts import is_loopback
from cmsmig.valid_text import is_valid

_VERSION = re.compile(r"v\d+")
_IDENTIFIER = re.compile(r"[A-Za-z0-9_-]+")
_HOST = re.compile(r"[A-Za-z0-9.-]+(:\d+)?")
_PLAIN_HOST = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]+")


def base_address(version: str, keep: bool) -> Callable[[object], str]:
    """Return a reader of a service's base address.

    Takes it with or without its version segment and a trailing slash; gives it
    with the segment if `keep`, never with the slash.
    """

    def read(value: object) -> str:
        parts = _http_parts(value)
        path = parts.path.strip("/").split("/") if parts.path.strip("/") else []
        if path and _VERSION.fullmatch(path[-1]) and path.pop() != version:
            raise ValueError(f"only version {version} of this service can be used")
        path = [*path, version] if keep else path
        return "/".join([f"{parts.scheme}://{parts.netloc}", *path])

    return read


def _http_parts(value: object) -> SplitResult:
    expected = "write an address such as https://api.example.com"
    try:
        parts = urlsplit(_text(value))
        schemed = parts.scheme in ("http", "https")
        usable = schemed and parts.hostname and is_valid(parts.path)
        _ = parts.port
    except ValueError:
        raise ValueError(expected) from None
    if not usable or parts.query or parts.fragment or "@" in parts.netloc:
        raise ValueError(f"{expected}, without user, query or fragment")
    if not _PLAIN_HOST.fullmatch(parts.hostname or ""):
        raise ValueError(f"{expected}, its host in letters, digits, dots and hyphens")
    if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        raise ValueError("a token would travel in the clear, write https://")
    return parts


def whole_number(lowest: int, highest: int, unit: str) -> Callable[[object], int]:
    """Return a reader of a whole number within bounds, both included."""

    def read(value: object) -> int:
        text = _text(value)
        if not (text.isascii() and text.isdigit()):
            raise ValueError(f"write a whole number of {unit}")
        if not lowest <= int(text) <= highest:
            raise ValueError(f"write {lowest} to {highest} {unit}")
        return int(text)

    return read


def rate(value: object) -> float:
    """Read a number of requests per second."""
    try:
        number = float(_text(value))
    except ValueError:
        number = math.nan
    if not 0 < number <= 1000:
        raise ValueError("write a number of requests per second, above 0, at most 1000")
    return number


def plan(known: Iterable[str]) -> Callable[[object], str]:
    """Return a reader of a plan's name, in any spelling of it."""
    names = tuple(known)

    def read(value: object) -> str:
        name = plan_name(_text(value))
        if name not in names:
            raise ValueError(f"the plans are {', '.join(names)}")
        return name

    return read


def switch(value: object) -> bool:
    """Read true or false."""
    if isinstance(value, bool):
        return value
    choices = {"true": True, "1": True, "yes": True, "on": True}
    choices |= {"false": False, "0": False, "no": False, "off": False}
    try:
        return choices[_text(value).lower()]
    except KeyError:
        raise ValueError("write true or false") from None


def space_number(value: object) -> str:
    """Read a space id, with or without the # that the service shows before it."""
    text = _text(value).removeprefix("#")
    if not (text.isascii() and text.isdigit() and len(text) <= 20):
        raise ValueError("write the number that the space's settings page shows")
    return text


def site_id(value: object) -> str:
    """Read a site id."""
    text = _text(value)
    if not _IDENTIFIER.fullmatch(text):
        raise ValueError("write the site's id, letters and digits")
    return text


def host(value: object) -> str:
    """Read one bare host, without a port."""
    text = _text(value).lower()
    if not _PLAIN_HOST.fullmatch(text):
        raise ValueError("write a bare host name, such as api.example.com")
    return text


def hosts(value: object) -> tuple[str, ...]:
    """Read bare hosts: a list, or a text with commas."""
    parts = value if isinstance(value, list) else _text(value).split(",")
    named = tuple(_text(part).lower() for part in parts if part != "")
    if not all(_HOST.fullmatch(host) for host in named):
        raise ValueError("write bare host names, such as files.example.com")
    return named


def overrides(value: object) -> dict[str, str]:
    """Read the table of overridden assumptions, each value as text."""
    if not isinstance(value, dict):
        raise ValueError("write a table of names and values in cmsmig.toml")
    return {
        name: str(entry).lower() if isinstance(entry, bool) else _text(entry)
        for name, entry in value.items()
    }


def richtext(value: object) -> dict[str, str]:
    """Read the table about rich text: `rules` names a file of the project."""
    if not isinstance(value, dict):
        raise ValueError('write richtext.rules = "rules.py" in cmsmig.toml')
    if unknown := sorted(set(value) - {"rules"}):
        raise ValueError(f"it has no {unknown[0]}, only rules")
    return {name: _rules_file(_text(each)) for name, each in value.items()}


def _rules_file(name: str) -> str:
    absolute = PureWindowsPath(name).drive or name.startswith(("/", "\\", "~"))
    if absolute or ".." in PureWindowsPath(name).parts:
        raise ValueError(
            "rules must name a file in the project folder, such as rules.py"
        )
    if name and not name.endswith(".py"):
        raise ValueError("rules must name a Python file, such as rules.py")
    return name


def folder(value: object) -> Path:
    """Read a path."""
    if not isinstance(value, str):
        raise ValueError("write the path of a folder")
    return Path(value)


def _text(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError("write a text or a number")
    return str(value).strip()
