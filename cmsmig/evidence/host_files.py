"""The redirects in the files of the usual hosts, each escaped as its host needs.

Source of every rule about a host: its own documentation and parser, `wire` of the
redirect files; the proof `make conformance` loads each file with the host's own code.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

from cmsmig.counting import counted
from cmsmig.mapping.decisions.redirects import ABSOLUTE, REST
from cmsmig.mapping.redirects.address_map import (
    GONE_STATUS,
    MOVED_STATUS,
    AddressMap,
    AddressRow,
    Outcome,
)
from cmsmig.ui.csv_text import csv_text

CLOUDFLARE_SINGLE, CLOUDFLARE_PATTERNS, CLOUDFLARE_LINE = 2_000, 100, 1_000
VERCEL_RULES, VERCEL_LENGTH, VERCEL_BULK_LENGTH = 2_048, 4_096, 2_048
NGINX_LENGTH = 4_000
"""Bytes of a word of a configuration; nginx reads it in blocks of 4,096."""
APACHE_PART = 255
"""Bytes of a file's name, which .htaccess rules of Apache need to be possible."""
_IN_HTACCESS = (
    f"Apache refuses parts of more than {APACHE_PART} bytes where the rules are in "
    ".htaccess; the server's own configuration has them."
)
_AS_SENT = "/!$&'()*+,;=:@|[]~"
"""What browsers send as it is. Source: WHATWG URL, path percent-encode set."""
_TAIL = "%/?#&=+!$'(),;@~"
_PLACEHOLDER = re.compile(r":[A-Za-z]|\*")
_PATTERN_SIGNS = re.compile(r"[+*():]")
_REST_AS_SENT = r"[^/?\x5C ][^? ]*"
"""The rest of an address in a request. It never begins with a second slash, which in a
target would lead to another host."""
_WORD = re.compile(rb"[A-Za-z0-9/_-]")


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

    def single(self, status: int) -> list[tuple[str, str]]:
        """Return the old paths of single rules, decoded, with their targets."""
        outcome = Outcome.MOVED if status == MOVED_STATUS else Outcome.GONE
        return [
            (row.old, self.target(row))
            for row in self.addresses.rules
            if row.outcome is outcome and not row.is_pattern
        ]

    def patterns(self, rest: str) -> list[tuple[str, str]]:
        """Return what patterns are below, with their targets; `rest` is what a host
        writes for the rest of the address."""
        return [(row.above, self.target(row, rest)) for row in self.addresses.patterns]

    def target(self, row: AddressRow, rest: str = "") -> str:
        """Return the address that a rule leads to, percent-encoded."""
        base = row.new.removesuffix(REST)
        if ABSOLUTE.fullmatch(row.new):
            made = quote(base, safe=f"{_TAIL}:")
        else:
            made = self.addresses.host + quote(base, safe="/~")
        end = rest if base != row.new else ""
        return f"{made}{end}{quote(row.tail, safe=_TAIL)}"

    def fits(self, old: str, why: str, *, ok: bool) -> bool:
        """Return whether a rule has a place; else keep why it has none."""
        if not ok:
            self.left.setdefault(why, []).append(old)
        return ok


def host_files(addresses: AddressMap) -> tuple[HostFile, ...]:
    """Return the list of all addresses, and a file for each host. Pure."""
    made = [
        HostFile("address-map.csv", _list_csv(addresses)),
        *(
            each
            for write in (_csv, _netlify, _vercel, _cloudflare, _nginx, _apache)
            for each in write(_Rules(addresses))
        ),
    ]
    return (*made, HostFile("notes.txt", "".join(each.notes for each in made)))


def as_sent(path: str) -> str:
    """Return a decoded path as a browser sends it."""
    return quote(path, safe=_AS_SENT)


def _list_csv(addresses: AddressMap) -> str:
    rules = _Rules(addresses)
    return csv_text(
        ("old", "outcome", "new", "known from", "item", "name", "why", "decided by"),
        (
            (
                quote(row.old, safe="/(.*)~" if row.is_pattern else "/~"),
                row.outcome,
                rules.target(row, REST) if row.new else "",
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
    rows = sorted(
        (quote(row.old, safe="/~"), rules.target(row) if row.new else "", status)
        for outcome, status in (
            (Outcome.MOVED, MOVED_STATUS),
            (Outcome.GONE, GONE_STATUS),
        )
        for row in rules.addresses.of(outcome)
    )
    yield HostFile("redirects.csv", csv_text(("old", "new", "status"), rows))


def _netlify(rules: _Rules) -> Iterator[HostFile]:
    """Source: docs.netlify.com, redirects; @netlify/redirect-parser 16.1.1."""

    def can(old: str) -> bool:
        return rules.fits(
            old,
            "Netlify keeps addresses below /.netlify for itself.",
            ok=not f"{old}/".startswith("/.netlify/"),
        ) and rules.fits(
            old,
            "Netlify takes a `:` after a slash, or a `*` at the end, for a wildcard.",
            ok="/:" not in old and not old.endswith("*"),
        )

    lines = [
        *(f"{as_sent(o)} {to} 301" for o, to in rules.single(MOVED_STATUS) if can(o)),
        *(
            f"{as_sent(o)} /404.html 410"
            for o, _ in rules.single(GONE_STATUS)
            if can(o)
        ),
        *(f"{as_sent(o)}/* {to} 301" for o, to in rules.patterns(":splat") if can(o)),
    ]
    yield HostFile("netlify/_redirects", _lines(lines), rules.left)


def _cloudflare(rules: _Rules) -> Iterator[HostFile]:
    """Source: developers.cloudflare.com/pages/configuration/redirects."""

    def can(old: str, line: str, place: int, most: int) -> bool:
        return (
            rules.fits(
                old,
                "Cloudflare takes a `*`, or a `:` before a letter, for a wildcard.",
                ok=not _PLACEHOLDER.search(old),
            )
            and rules.fits(
                old,
                f"the line is longer than {CLOUDFLARE_LINE:,} characters.",
                ok=len(line) <= CLOUDFLARE_LINE,
            )
            and rules.fits(
                old, f"Cloudflare takes {most:,} rules of this kind.", ok=place < most
            )
        )

    def kept(made: Iterable[tuple[str, str]], most: int) -> list[str]:
        found: list[str] = []
        for old, line in made:
            if can(old, line, len(found), most):
                found.append(line)
        return found

    single = ((o, f"{as_sent(o)} {to} 301") for o, to in rules.single(MOVED_STATUS))
    patterns = ((o, f"{as_sent(o)}/* {to} 301") for o, to in rules.patterns(":splat"))
    lines = [*kept(single, CLOUDFLARE_SINGLE), *kept(patterns, CLOUDFLARE_PATTERNS)]
    _refuse_gone(rules, "Cloudflare")
    yield HostFile("cloudflare/_redirects", _lines(lines), rules.left)


def _vercel(rules: _Rules) -> Iterator[HostFile]:
    """Source: vercel.com/docs/redirects; @vercel/routing-utils 6.6.0."""

    def source(old: str) -> str:
        return _PATTERN_SIGNS.sub(r"\\\g<0>", as_sent(old))

    def rule(source: str, to: str) -> dict[str, str | int]:
        return {"source": source, "destination": to, "statusCode": MOVED_STATUS}

    def can(old: str, length: int, most: int) -> bool:
        why = f"Vercel takes addresses of up to {most:,} characters."
        return rules.fits(old, why, ok=length <= most)

    patterns = [rule(f"{source(o)}/:rest(.*)", to) for o, to in rules.patterns(":rest")]
    single = rules.single(MOVED_STATUS)
    made: dict[str, object] = {}
    if len(single) + len(patterns) <= VERCEL_RULES:
        fitting = [
            rule(source(o), to)
            for o, to in single
            if can(o, max(len(source(o)), len(to)), VERCEL_LENGTH)
        ]
        made["redirects"] = [*fitting, *patterns]
    else:
        bulk = [
            (as_sent(o), to, MOVED_STATUS)
            for o, to in single
            if can(o, max(len(as_sent(o)), len(to)), VERCEL_BULK_LENGTH)
        ]
        text = csv_text(("source", "destination", "statusCode"), bulk)
        yield HostFile("vercel/bulk-redirects.csv", text)
        made = {"bulkRedirectsPath": "bulk-redirects.csv", "redirects": patterns}
    _refuse_gone(rules, "Vercel")
    text = json.dumps(made, indent=2) + "\n"
    yield HostFile("vercel/vercel.json", text, rules.left)


def _refuse_gone(rules: _Rules, host: str) -> None:
    for old, _ in rules.single(GONE_STATUS):
        rules.fits(old, f"{host} answers 404, it has no rule for 410.", ok=False)


def _nginx(rules: _Rules) -> Iterator[HostFile]:
    """Source: nginx.org, ngx_http_map_module. A map's keys match ignoring case, so
    those that differ from another address in case alone become expressions."""
    single, gone = rules.single(MOVED_STATUS), rules.single(GONE_STATUS)
    rows = rules.addresses.rows
    times = Counter(
        path.encode().lower()
        for path in {each for r in rows for each in (r.old, r.new)}
    )

    def key(old: str) -> str:
        if times[old.encode().lower()] > 1:
            return f'"~^{_expression(old)}$"'
        return '"' + re.sub(r'([\\"])', r"\\\1", old) + '"'

    def can(old: str) -> bool:
        why = f"nginx reads words of up to {NGINX_LENGTH:,} bytes."
        return rules.fits(old, why, ok=len(key(old).encode()) <= NGINX_LENGTH)

    moved = [f'    {key(old)} "{to}";' for old, to in single if can(old)]
    lost = [f"    {key(old)} 1;" for old, _ in gone if can(old)]
    below = [
        f'    "~^{_expression(as_sent(old))}/(?<cmsmig_rest>{_REST_AS_SENT})" "{to}";'
        for old, to in rules.patterns("$cmsmig_rest")
    ]
    longest = max((len(old.encode()) for old, _ in (*single, *gone)), default=0)
    size = 64
    while size < longest + 64:
        size *= 2
    text = _lines(
        [
            "# Include this file in `http`, and server.conf in `server`.",
            f"map_hash_bucket_size {size};",
            f"map_hash_max_size {max(2_048, 2 * len(single))};",
            "map $uri $cmsmig_old {",
            "    default $uri;",
            '    "~^(?<cmsmig_path>/.+)/$" $cmsmig_path;',
            "}",
            "map $request_uri $cmsmig_below {",
            '    default "";',
            *below,
            "}",
            "map $cmsmig_old $cmsmig_new {",
            "    default $cmsmig_below;",
            *moved,
            "}",
            "map $cmsmig_old $cmsmig_gone {",
            "    default 0;",
            *lost,
            "}",
        ]
    )
    yield HostFile("nginx/http.conf", text, rules.left)
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

    moved = "R=301,L,NE"
    lines = [
        "RewriteEngine On",
        *(rule(o, "-", "G") for o, _ in rules.single(GONE_STATUS)),
        *(rule(o, _literal(to), moved) for o, to in rules.single(MOVED_STATUS)),
    ]
    for old, to in rules.patterns("*"):
        # The rest of the address is copied as it was sent, still percent-encoded.
        sent = f"^[A-Z]+ {_expression(as_sent(old))}/({_REST_AS_SENT})"
        lines += [
            f'RewriteCond "%{{THE_REQUEST}}" "{sent}"',
            f'RewriteRule "^" "{_literal(to).replace("*", "%1")}" [{moved}]',
        ]
    for old, _ in rules.single(MOVED_STATUS):
        longest = max(len(part.encode()) for part in old.split("/"))
        rules.fits(old, _IN_HTACCESS, ok=longest <= APACHE_PART)
    yield HostFile("apache/redirects.conf", _lines(lines), rules.left)


def _literal(to: str) -> str:
    """Return a target in which Apache replaces nothing."""
    return to.replace("%", r"\%")


def _expression(path: str) -> str:
    """Return a regular expression that matches the bytes of a path."""
    return "".join(
        chr(byte) if _WORD.match(bytes((byte,))) else f"\\x{byte:02X}"
        for byte in path.encode()
    )


def _lines(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
