"""An address of the old site, as people read it and as it is compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import quote, urlsplit

from cmsmig.mapping.select.old_paths import clean_path

AddressKey: TypeAlias = tuple[str, tuple[str, ...]]
_AS_SENT = "/!$&'()*+,;=:@|[]~"
"""What browsers send as it is. Source: WHATWG URL, path percent-encode set."""
_MARK = "%3F"
"""A question mark of the path, in the text of an address."""


@dataclass(frozen=True, slots=True, order=True)
class Address:
    """A path of the site, and the query that goes with it.

    As text it is the path, and after a `?` the query; a `?` of the path itself is
    `%3F` there.
    """

    path: str
    """Decoded, with a slash in front and none at its end."""
    query: str = ""
    """As it is sent, without `?`."""

    @classmethod
    def of(cls, text: str) -> Address:
        """Return the address of a text that `str` made, or a person wrote."""
        path, _, query = text.partition("?")
        return cls(path.replace(_MARK, "?"), query)

    @classmethod
    def requested(cls, target: str) -> Address:
        """Return the address that a browser asks for: percent-encoded, without host;
        an anchor is no part of it."""
        path, _, query = target.partition("#")[0].partition("?")
        return cls(clean_path(path), query)

    @classmethod
    def at(cls, url: str) -> Address:
        """Return the address of a whole URL, without its host."""
        parts = urlsplit(url)
        return cls(clean_path(parts.path), parts.query)

    def __str__(self) -> str:
        query = f"?{self.query}" if self.query else ""
        return f"{self.path.replace('?', _MARK)}{query}"

    @property
    def key(self) -> AddressKey:
        """Return what two spellings of one address share: the origin takes a path in
        any case and with a slash at its end; parameters may come in any order."""
        return self.path.casefold().rstrip("/"), tuple(sorted(self.parameters))

    @property
    def parameters(self) -> tuple[str, ...]:
        """Return the parts of the query."""
        return tuple(filter(None, self.query.split("&")))

    @property
    def sent(self) -> str:
        """Return the path as a browser sends it."""
        return quote(self.path, safe=_AS_SENT)

    def below(self, above: str) -> str:
        """Return the rest of the path below another path; empty for one that is not
        below it, or has a query."""
        is_below = not self.query and self.path.startswith(f"{above}/")
        return self.path.removeprefix(f"{above}/") if is_below else ""
