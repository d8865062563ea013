"""The redirects in the files of the usual hosts, each escaped as its host needs.

Source of every rule about a host: its documentation and its own parser. `make
conformance` loads each file with the host's own code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import quote, unquote_plus

from cmsmig.canonical import Json, JsonObject
from cmsmig.evidence.host_rules import (
    ESCAPE,
    HostFile,
    Refusal,
    Rules,
    either_case,
    target,
)
from cmsmig.evidence.server_files import apache_files, lines_of, nginx_files
from cmsmig.mapping.redirects.address_map import (
    GONE_STATUS,
    MOVED_STATUS,
    AddressMap,
    AddressOutcome,
    AddressRow,
)
from cmsmig.mapping.select.address import Address
from cmsmig.ui.report_file import csv_text

CLOUDFLARE_SINGLE, CLOUDFLARE_PATTERNS, CLOUDFLARE_LINE = 2_000, 100, 1_000
VERCEL_RULES, VERCEL_LENGTH, VERCEL_BULK = 2_048, 4_096, 2_048
_PLACEHOLDER = re.compile(r":[A-Za-z]|\*")
_PATTERN_SIGNS = re.compile(r"[+*():]")
_NO_WORD = re.compile(r"[^\w/%-]")
_PLAIN_PARAMETER = re.compile(r"[\w.~-]+=[\w.~-]+", re.ASCII)
_SLASH = "{/}?"
"""With or without a slash at the end. Source: path-to-regexp."""
_NO_410: Refusal[str] = (
    "the host has no rule for 410: it answers 404.",
    lambda *_: True,
)
_CASE = (
    "An address in another case finds no rule; below a pattern, the rest is copied in "
    "that case."
)
_HEX = "An address with lower-case hex digits (`/%d7%a9`) finds no rule."
_CLOSED = "An address with a slash at its end finds no rule."


def host_files(addresses: AddressMap) -> tuple[HostFile, ...]:
    """Return the list of all addresses, and a file for each host. Pure."""
    made = [HostFile("address-map.csv", _list_csv(addresses))]
    for write in (_csv, _netlify, _vercel, _cloudflare, nginx_files, apache_files):
        made += write(Rules(addresses))
    notes = "".join(each.notes for each in made)
    return (*made, HostFile("notes.txt", f"{_unused(addresses)}{notes}"))


def host_limits(addresses: AddressMap) -> Iterator[tuple[str, str]]:
    """Yield each host, and a sentence about what it will not do. Pure."""
    for each in host_files(addresses):
        host, sign, _ = each.name.partition("/")
        yield from ((host, text) for text in each.limits if sign)


def _unused(addresses: AddressMap) -> str:
    rules = [f"  line {e.line}, {e.row}: {e.why}\n" for e in addresses.unused]
    return "".join(["Rules of the origin that are not used\n", *rules] if rules else [])


def _list_csv(addresses: AddressMap) -> str:
    return csv_text(
        ("old", "outcome", "new", "known from", "item", "name", "why", "decided by"),
        (
            (
                _encoded(row.address, "/(.*)~" if row.is_pattern else "/~"),
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


def _encoded(old: Address, safe: str = "/~") -> str:
    return f"{quote(old.path, safe=safe)}{'?' if old.query else ''}{old.query}"


def _csv(rules: Rules) -> Iterator[HostFile]:
    """Every single address that needs a rule, patterns spelled out."""
    moved = rules.addresses.of(AddressOutcome.MOVED)
    rows = [(row.address, target(rules.addresses, row), MOVED_STATUS) for row in moved]
    rows += [(old, "", GONE_STATUS) for old in rules.gone()]
    made = ((_encoded(old), to, status) for old, to, status in sorted(rows))
    yield HostFile("redirects.csv", csv_text(("old", "new", "status"), made))


def _netlify(rules: Rules) -> Iterator[HostFile]:
    """Source: docs.netlify.com, redirects; @netlify/redirect-parser 16.1.1."""

    ends = [(old, f"{to} {MOVED_STATUS}") for old, to in rules.single()]
    ends += [(old, f"/404.html {GONE_STATUS}") for old in rules.gone()]
    made = [
        (old, " ".join((sent, *old.parameters, end)))
        for old, end in sorted(ends, key=lambda each: not each[0].query)
        for sent in rules.spelled(old)
    ]
    below = rules.patterns(":splat")
    made += [(old, f"{old.sent}/* {to} {MOVED_STATUS}") for old, to in below]
    lines = rules.kept(
        made,
        (
            "Netlify keeps addresses below /.netlify for itself.",
            lambda old, _: f"{old.path}/".startswith("/.netlify/"),
        ),
        (
            "Netlify takes a `:` after a slash, or a `*` at the end, for a wildcard.",
            lambda old, _: "/:" in old.path or old.path.endswith("*"),
        ),
        (
            "Netlify compares queries of plain letters and digits alone.",
            lambda old, _: not all(map(_PLAIN_PARAMETER.fullmatch, old.parameters)),
        ),
    )
    unlike = [_CASE, _HEX] if lines else []
    unlike += rules.staying("/* {host}/:splat 301")
    yield HostFile("netlify/_redirects", lines_of(lines), rules.left, unlike)


def _cloudflare(rules: Rules) -> Iterator[HostFile]:
    """Source: developers.cloudflare.com/pages/configuration/redirects."""
    moved, below = rules.single(), rules.patterns(":splat")
    made = [(old, (to, 301)) for old, to in moved]
    # What is served as itself is not led on by a pattern; there is no such page.
    made += [(old, ("", 200)) for old in rules.gone() if rules.is_below(old)]
    single = [
        (old, f"{sent}{end} {to or sent + end} {status}")
        for old, (to, status) in made
        for sent in rules.spelled(old)
        for end in (("", "/") if rules.is_below(old) else ("",))
    ]
    plain = rules.kept(
        ((old, (old, line)) for old, line in single),
        ("the host compares no queries.", lambda old, _: bool(old.query)),
    )
    limited = (
        *rules.limited(plain, CLOUDFLARE_SINGLE),
        *rules.limited(
            [(old, f"{old.sent}/* {to} 301") for old, to in below], CLOUDFLARE_PATTERNS
        ),
    )
    lines = rules.kept(
        limited,
        (
            "Cloudflare takes a `*`, or a `:` before a letter, for a wildcard.",
            lambda old, _: _PLACEHOLDER.search(old.path) is not None,
        ),
        (
            f"the line is longer than {CLOUDFLARE_LINE:,} characters.",
            lambda _, line: len(line) > CLOUDFLARE_LINE,
        ),
    )
    rules.kept(((old, "") for old in rules.gone()), _NO_410)
    unlike = [_CASE, _HEX, _CLOSED] if lines else []
    unlike += rules.staying("/* {host}/:splat 301")
    if with_query := [str(old) for old, to in moved if "?" in to]:
        unlike.append(
            "A visitor's query is dropped where the target has one: "
            f"{', '.join(with_query)}."
        )
    yield HostFile("cloudflare/_redirects", lines_of(lines), rules.left, unlike)


def _vercel(rules: Rules) -> Iterator[HostFile]:
    """Source: vercel.com/docs/redirects; @vercel/routing-utils 6.6.0."""

    def too_long(most: int) -> Refusal[JsonObject]:
        return (
            f"Vercel takes addresses of up to {most:,} characters.",
            lambda _, rule: (
                max(len(str(rule[name])) for name in ("source", "destination")) > most
            ),
        )

    # A pattern that is too long for its exceptions is spelled out.
    below = [
        (Address(row.above), (row, _vercel_pattern(rules, row)))
        for row in rules.addresses.patterns
    ]
    limit = too_long(VERCEL_LENGTH)
    fitting = rules.kept(below, (limit[0], lambda old, rule: limit[1](old, rule[1])))
    patterns = [rule for _, rule in fitting]
    spelled = replace(rules.addresses, patterns=tuple(row for row, _ in fitting))
    single = Rules(spelled).single()
    in_bulk = len(single) + len(patterns) > VERCEL_RULES
    own = [each for each in single if each[0].query or not in_bulk]
    bulk = [each for each in single if in_bulk and not each[0].query]
    kept = rules.kept(((old, _vercel_rule(old, to)) for old, to in own), limit)
    in_file = rules.kept(
        ((old, _vercel_line(old, to)) for old, to in bulk), too_long(VERCEL_BULK)
    )
    rules.kept(((old, "") for old in rules.gone()), _NO_410)
    made: JsonObject = {"redirects": [*kept, *patterns]}
    if in_bulk:
        made["bulkRedirectsPath"] = "bulk-redirects.json"
        yield HostFile("vercel/bulk-redirects.json", _json([*in_file]))
    unlike = [_CASE] if kept or patterns or in_file else []
    unlike += [f"{each[:-1]} in the bulk file." for each in (_HEX, _CLOSED) if in_bulk]
    unlike += rules.staying(
        '{"source": "/:rest(.*)", "destination": "{host}/:rest", "statusCode": 301}'
    )
    yield HostFile("vercel/vercel.json", _json(made), rules.left, unlike)


def _vercel_rule(old: Address, to: str) -> JsonObject:
    has: list[Json] = []
    for each in old.parameters:
        name, sign, value = each.partition("=")
        asked: JsonObject = {"type": "query", "key": unquote_plus(name)}
        if sign:
            asked["value"] = _literal(unquote_plus(value))
        has.append(asked)
    made: JsonObject = {
        "source": _vercel_path(old) + ("" if old.path == "/" else _SLASH),
        "destination": to,
        "statusCode": MOVED_STATUS,
    }
    return made | {"has": has} if has else made


def _vercel_line(old: Address, to: str) -> JsonObject:
    """Return a bulk rule of the file, which passes a query on where its flag is set."""
    return {
        "source": old.sent,
        "destination": to,
        "statusCode": MOVED_STATUS,
        "query": True,
    }


def _vercel_pattern(rules: Rules, row: AddressRow) -> JsonObject:
    """Return the rule of a pattern, which leaves out what is gone below it."""
    above = Address(row.above)
    gone = "|".join(
        _as_expression(Address(f"/{rest}").sent[1:]) for rest in rules.gone_below(above)
    )
    rest = f"(?!(?:{gone})/?$).*?" if gone else ".*?"
    return {
        "source": f"{_vercel_path(above)}/:rest({rest}){_SLASH}",
        "destination": target(rules.addresses, row, ":rest"),
        "statusCode": MOVED_STATUS,
    }


def _vercel_path(old: Address) -> str:
    """Return a path for path-to-regexp; with hex digits in either case, where it has
    any."""
    if any(re.search("[A-F]", each) for each in ESCAPE.findall(old.sent)):
        return f"/({_as_expression(old.sent[1:])})"
    return _PATTERN_SIGNS.sub(r"\\\g<0>", old.sent)


def _as_expression(sent: str) -> str:
    return "".join(
        either_case(part) if ESCAPE.fullmatch(part) else _literal(part)
        for part in ESCAPE.split(sent)
    )


def _literal(text: str) -> str:
    return _NO_WORD.sub(r"\\\g<0>", text)


def _json(value: Json) -> str:
    return json.dumps(value, indent=2) + "\n"
