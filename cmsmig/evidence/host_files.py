"""The redirects in the files of the usual hosts, each escaped as its host needs.

Source of every rule about a host: its documentation and its own parser. `make
conformance` loads each file with the host's own code.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar
from urllib.parse import quote

from cmsmig.canonical import Json, JsonObject
from cmsmig.counting import counted
from cmsmig.mapping.decisions.redirects import ABSOLUTE, REST
from cmsmig.mapping.redirects.address_map import (
    GONE_STATUS,
    MOVED_STATUS,
    AddressMap,
    AddressRow,
    Outcome,
)
from cmsmig.ui.report_file import csv_text

CLOUDFLARE_SINGLE, CLOUDFLARE_PATTERNS, CLOUDFLARE_LINE = 2_000, 100, 1_000
VERCEL_RULES, VERCEL_LENGTH, VERCEL_BULK = 2_048, 4_096, 2_048
NGINX_LENGTH = 4_000
"""Bytes of a word of a configuration; nginx reads it in blocks of 4,096."""
APACHE_PART = 255
"""Bytes of a file's name."""
_AS_SENT = "/!$&'()*+,;=:@|[]~"
"""What browsers send as it is. Source: WHATWG URL, path percent-encode set."""
_TAIL = "%/?#&=+!',@~"
"""What a target keeps as it is: no sign that a host takes for a variable or a group."""
_PLACEHOLDER = re.compile(r":[A-Za-z]|\*")
_PATTERN_SIGNS = re.compile(r"[+*():]")
_REST_AS_SENT = r"[^/?\x5C ][^? ]*"
"""The rest of an address in a request. It never begins with a second slash, which in a
target would lead to another host."""
_WORD = re.compile(rb"[A-Za-z0-9/_-]")


T = TypeVar("T")
_Refusal: TypeAlias = tuple[str, Callable[[str, T], bool]]
"""Why a host has no place for a rule, and whether it has none for this one."""
_NO_410: _Refusal[str] = (
    "the host has no rule for 410: it answers 404.",
    lambda *_: True,
)
_IN_HTACCESS: _Refusal[str] = (
    f"Apache refuses parts of more than {APACHE_PART} bytes where the rules are in "
    ".htaccess; the server's own configuration has them.",
    lambda old, _: max(len(part.encode()) for part in old.split("/")) > APACHE_PART,
)


@dataclass(frozen=True, slots=True)
class HostFile:
    """A file of redirects."""

    name: str
    """Below the folder of the redirects."""
    text: str
    left: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Old addresses that the file cannot hold, by the reason."""

    @property
    def notes(self) -> str:
        """Return what the file cannot hold, for a person."""
        lines = (
            f"  {counted(len(olds), 'address', 'addresses')} left out, such as "
            f"{olds[0]}: {why}\n"
            for why, olds in self.left.items()
        )
        said = "".join(lines) or "  Nothing is left out.\n"
        return f"{self.name}\n{said}"


@dataclass(slots=True)
class _Rules:
    """The rules of a map, with their targets as addresses; and what has no place."""

    addresses: AddressMap
    left: dict[str, list[str]] = field(default_factory=dict)
    """Old addresses that a file cannot hold, by the reason."""

    def single(self) -> list[tuple[str, str]]:
        """Return the old paths that moved, decoded, with their targets."""
        rules = self.addresses.rules
        moved = (row for row in rules if row.outcome is Outcome.MOVED)
        return [
            (row.old, target(self.addresses, row))
            for row in moved
            if not row.is_pattern
        ]

    def gone(self) -> list[str]:
        """Return the old paths that are gone, decoded."""
        return [row.old for row in self.addresses.of(Outcome.GONE)]

    def patterns(self, rest: str) -> list[tuple[str, str]]:
        """Return what patterns are below, with their targets; `rest` is what a host
        writes for the rest of the address."""
        rows = self.addresses.patterns
        return [(row.above, target(self.addresses, row, rest)) for row in rows]

    def kept(self, made: Iterable[tuple[str, T]], *refusals: _Refusal[T]) -> list[T]:
        """Return the rules of old addresses, without those that a host refuses."""
        found: list[T] = []
        for old, rule in made:
            why = next((why for why, refuses in refusals if refuses(old, rule)), "")
            if why:
                self.left.setdefault(why, []).append(old)
            else:
                found.append(rule)
        return found

    def limited(
        self, made: Sequence[tuple[str, T]], most: int
    ) -> Iterator[tuple[str, T]]:
        """Yield the first rules of old addresses; the rest has no place."""
        yield from made[:most]
        why = f"the host takes {most:,} rules of this kind."
        self.kept(made[most:], (why, lambda *_: True))


def target(addresses: AddressMap, row: AddressRow, rest: str = REST) -> str:
    """Return the address that a row leads to, percent-encoded; `rest` is what is
    written for the rest of an address below a pattern."""
    path = row.new.removesuffix(REST) if row.is_pattern else row.new
    if found := ABSOLUTE.fullmatch(row.new):
        end = max(found.start("path"), 0) or len(path)
        made = quote(path[:end], safe="/:[]") + quote(path[end:], safe=_TAIL)
    else:
        made = addresses.host + quote(path, safe="/~")
    return f"{made}{rest if path != row.new else ''}{quote(row.tail, safe=_TAIL)}"


def host_files(addresses: AddressMap) -> tuple[HostFile, ...]:
    """Return the list of all addresses, and a file for each host. Pure."""
    made = [HostFile("address-map.csv", _list_csv(addresses))]
    for write in (_csv, _netlify, _vercel, _cloudflare, _nginx, _apache):
        made += write(_Rules(addresses))
    return (*made, HostFile("notes.txt", "".join(each.notes for each in made)))


def as_sent(path: str) -> str:
    """Return a decoded path as a browser sends it."""
    return quote(path, safe=_AS_SENT)


def _list_csv(addresses: AddressMap) -> str:
    return csv_text(
        ("old", "outcome", "new", "known from", "item", "name", "why", "decided by"),
        (
            (
                quote(row.old, safe="/(.*)~" if row.is_pattern else "/~"),
                row.outcome,
                target(addresses, row) if row.new else "",
                ", ".join(row.sources),
                str(row.key or ""),
                row.name,
                row.why,
                row.decided.by if row.decided else "",
            )
            for row in addresses.rows
        ),
    )


def _csv(rules: _Rules) -> Iterator[HostFile]:
    """Every single address that needs a rule, patterns spelled out."""
    moved = rules.addresses.of(Outcome.MOVED)
    rows = [(row.old, target(rules.addresses, row), MOVED_STATUS) for row in moved]
    rows += [(old, "", GONE_STATUS) for old in rules.gone()]
    made = ((quote(old, safe="/~"), to, status) for old, to, status in sorted(rows))
    yield HostFile("redirects.csv", csv_text(("old", "new", "status"), made))


def _netlify(rules: _Rules) -> Iterator[HostFile]:
    """Source: docs.netlify.com, redirects; @netlify/redirect-parser 16.1.1."""
    made = [
        *((old, f"{as_sent(old)} {to} 301") for old, to in rules.single()),
        *((old, f"{as_sent(old)} /404.html 410") for old in rules.gone()),
        *((o, f"{as_sent(o)}/* {to} 301") for o, to in rules.patterns(":splat")),
    ]
    lines = rules.kept(
        made,
        (
            "Netlify keeps addresses below /.netlify for itself.",
            lambda old, _: f"{old}/".startswith("/.netlify/"),
        ),
        (
            "Netlify takes a `:` after a slash, or a `*` at the end, for a wildcard.",
            lambda old, _: "/:" in old or old.endswith("*"),
        ),
    )
    yield HostFile("netlify/_redirects", _lines(lines), rules.left)


def _cloudflare(rules: _Rules) -> Iterator[HostFile]:
    """Source: developers.cloudflare.com/pages/configuration/redirects."""
    single = [(old, f"{as_sent(old)} {to} 301") for old, to in rules.single()]
    below = [(o, f"{as_sent(o)}/* {to} 301") for o, to in rules.patterns(":splat")]
    made = (
        *rules.limited(single, CLOUDFLARE_SINGLE),
        *rules.limited(below, CLOUDFLARE_PATTERNS),
    )
    lines = rules.kept(
        made,
        (
            "Cloudflare takes a `*`, or a `:` before a letter, for a wildcard.",
            lambda old, _: _PLACEHOLDER.search(old) is not None,
        ),
        (
            f"the line is longer than {CLOUDFLARE_LINE:,} characters.",
            lambda _, line: len(line) > CLOUDFLARE_LINE,
        ),
    )
    rules.kept(((old, "") for old in rules.gone()), _NO_410)
    yield HostFile("cloudflare/_redirects", _lines(lines), rules.left)


def _vercel(rules: _Rules) -> Iterator[HostFile]:
    """Source: vercel.com/docs/redirects; @vercel/routing-utils 6.6.0."""

    def escaped(old: str) -> str:
        return _PATTERN_SIGNS.sub(r"\\\g<0>", as_sent(old))

    single, below = rules.single(), rules.patterns(":rest")
    patterns = [(f"{escaped(old)}/:rest(.*)", to) for old, to in below]
    in_bulk = len(single) + len(patterns) > VERCEL_RULES
    most, write = (VERCEL_BULK, as_sent) if in_bulk else (VERCEL_LENGTH, escaped)
    too_long = (
        f"Vercel takes addresses of up to {most:,} characters.",
        lambda _, rule: max(map(len, rule)) > most,
    )
    kept = rules.kept(((old, (write(old), to)) for old, to in single), too_long)
    rules.kept(((old, "") for old in rules.gone()), _NO_410)
    made: JsonObject = {"redirects": _listed(patterns if in_bulk else kept + patterns)}
    if in_bulk:
        made["bulkRedirectsPath"] = "bulk-redirects.json"
        yield HostFile("vercel/bulk-redirects.json", _json(_listed(kept)))
    yield HostFile("vercel/vercel.json", _json(made), rules.left)


def _listed(rules: Iterable[tuple[str, str]]) -> list[Json]:
    return [
        {"source": source, "destination": to, "statusCode": MOVED_STATUS}
        for source, to in rules
    ]


def _json(value: Json) -> str:
    return json.dumps(value, indent=2) + "\n"


def _nginx(rules: _Rules) -> Iterator[HostFile]:
    """Source: nginx.org, ngx_http_map_module. A map's keys match ignoring case, so
    those that differ from another address in case alone become expressions."""
    paths = {path for row in rules.addresses.rows for path in (row.old, row.new)}
    times = Counter(path.encode().lower() for path in paths)

    def row(old: str, value: str) -> tuple[str, str]:
        key = re.sub(r'([\\"])', r"\\\1", old)
        if times[old.encode().lower()] > 1:
            key = f"~^{_expression(old)}$"
        return old, f'    "{key}" {value};'

    too_long = (
        f"nginx reads words of up to {NGINX_LENGTH:,} bytes.",
        lambda _, line: len(line.encode()) > NGINX_LENGTH,
    )
    moved = rules.kept((row(old, f'"{to}"') for old, to in rules.single()), too_long)
    gone = rules.kept((row(old, "1") for old in rules.gone()), too_long)
    below = [
        f'    "~^{_expression(as_sent(old))}/(?<cmsmig_rest>{_REST_AS_SENT})" "{to}";'
        for old, to in rules.patterns("$cmsmig_rest")
    ]
    longest = max(len(line.encode()) for line in ("", *moved, *gone))
    lines = [
        "# Include this file in `http`, and server.conf in `server`.",
        f"map_hash_bucket_size {1 << max(6, (longest + 64).bit_length())};",
        f"map_hash_max_size {max(2_048, 2 * len(moved))};",
        "map $uri $cmsmig_old {",
        "    default $uri;",
        '    "~^(?<cmsmig_path>/.+)/$" $cmsmig_path;',
        "}",
        *("map $request_uri $cmsmig_below {", '    default "";', *below, "}"),
        *("map $cmsmig_old $cmsmig_new {", "    default $cmsmig_below;", *moved, "}"),
        *("map $cmsmig_old $cmsmig_gone {", "    default 0;", *gone, "}"),
    ]
    yield HostFile("nginx/http.conf", _lines(lines), rules.left)
    yield HostFile(
        "nginx/server.conf",
        "if ($cmsmig_gone) { return 410; }\n"
        "if ($cmsmig_new) { return 301 $cmsmig_new$is_args$args; }\n",
    )


def _apache(rules: _Rules) -> Iterator[HostFile]:
    """Source: httpd.apache.org, mod_rewrite. Works in a server's configuration and in
    .htaccess, which takes the slash in front away."""

    def rule(old: str, to: str, flags: str) -> str:
        path = _expression(old.removeprefix("/"))
        return f'RewriteRule "^/?{path}/?$" "{to}" [{flags}]'

    single = [(o, to.replace("%", r"\%")) for o, to in rules.single()]
    lines = ["RewriteEngine On", *(rule(old, "-", "G") for old in rules.gone())]
    lines += (rule(old, to, "R=301,L,NE") for old, to in single)
    for old, to in rules.patterns("*"):
        # The rest of the address is copied as it was sent, still percent-encoded.
        sent = f"^[A-Z]+ {_expression(as_sent(old))}/({_REST_AS_SENT})"
        end = to.replace("%", r"\%").replace("*", "%1")
        lines += [
            f'RewriteCond "%{{THE_REQUEST}}" "{sent}"',
            f'RewriteRule "^" "{end}" [R=301,L,NE]',
        ]
    rules.kept(single, _IN_HTACCESS)
    yield HostFile("apache/redirects.conf", _lines(lines), rules.left)


def _expression(path: str) -> str:
    """Return a regular expression that matches the bytes of a path."""
    return "".join(
        chr(byte) if _WORD.match(bytes((byte,))) else f"\\x{byte:02X}"
        for byte in path.encode()
    )


def _lines(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
