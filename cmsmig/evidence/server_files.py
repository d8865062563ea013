"""The redirects for servers that a person configures: nginx and Apache."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from cmsmig.evidence.host_rules import ESCAPE, HostFile, Refusal, Rules, either_case
from cmsmig.mapping.select.address import Address

NGINX_LENGTH = 4_000
"""Bytes of a word of a configuration; nginx reads it in blocks of 4,096."""
APACHE_PART = 255
"""Bytes of a file's name."""
_REST_AS_SENT = r"[^/?\x5C ][^? ]*?"
"""The rest of an address in a request. It never begins with a second slash, which in a
target would lead to another host."""
_WORD = re.compile(rb"[A-Za-z0-9/_-]")
_IN_HTACCESS: Refusal[str] = (
    f"Apache refuses parts of more than {APACHE_PART} bytes where the rules are in "
    ".htaccess; the server's own configuration has them.",
    lambda old, _: (
        max(len(each.encode()) for each in old.path.split("/")) > APACHE_PART
    ),
)
_MERGE = """\
map $cmsmig_query $cmsmig_new {
    default $cmsmig_query;
    "" $cmsmig_single;
    410 "";
}
map $cmsmig_query $cmsmig_gone {
    default 0;
    "" $cmsmig_gone_path;
    410 1;
}
map $cmsmig_new $cmsmig_to {
    "~^(?<cmsmig_before>[^#]*)" $cmsmig_before;
}
map $cmsmig_new $cmsmig_anchor {
    default "";
    "~(?<cmsmig_after>#.*)$" $cmsmig_after;
}
map "$args $cmsmig_new" $cmsmig_args {
    default "?$args";
    "~^ " "";
    "~^[^ ]+ [^#]*[?]" "&$args";
}"""
"""A visitor's query goes behind that of the target, and before its anchor."""


def nginx_files(rules: Rules) -> Iterator[HostFile]:
    """Source: nginx.org, ngx_http_map_module. A map's keys match ignoring case, so
    those that differ from another address in case alone become expressions."""

    def row(old: Address, value: str) -> tuple[Address, str]:
        key = re.sub(r'([\\"])', r"\\\1", old.path)
        if old.query or not rules.is_alone(old):
            key = f"~^{_path_expression(rules, old)}{_query_expression(old)}$"
        return old, f'    "{key}" {value};'

    too_long = (
        f"nginx reads words of up to {NGINX_LENGTH:,} bytes.",
        lambda _, line: len(line.encode()) > NGINX_LENGTH,
    )
    single, gone = rules.single(), rules.gone()
    with_query = [row(old, f'"{to}"') for old, to in single if old.query]
    with_query += [row(old, "410") for old in gone if old.query]
    queries = rules.kept(with_query, too_long)
    moved = rules.kept(
        (row(old, f'"{to}"') for old, to in single if not old.query), too_long
    )
    ended = rules.kept((row(old, "1") for old in gone if not old.query), too_long)
    below = [
        f'    "~^{_sent_expression(old)}/(?<cmsmig_rest>{_REST_AS_SENT})/?(?:[?]|$)" '
        f'"{to}";'
        for old, to in rules.patterns("$cmsmig_rest")
    ]
    longest = max(len(line.encode()) for line in ("", *moved, *ended))
    lines = [
        "# Include this file in `http`, and server.conf in `server`.",
        f"map_hash_bucket_size {1 << max(6, (longest + 64).bit_length())};",
        f"map_hash_max_size {max(2_048, 2 * len(moved))};",
        "map $uri $cmsmig_old {",
        "    default $uri;",
        '    "~^(?<cmsmig_path>/.+)/$" $cmsmig_path;',
        "}",
        *("map $request_uri $cmsmig_below {", '    default "";', *below, "}"),
        *("map $cmsmig_old $cmsmig_single {", "    default $cmsmig_below;", *moved),
        *("}", "map $cmsmig_old $cmsmig_gone_path {", "    default 0;", *ended, "}"),
        'map "$cmsmig_old?$args" $cmsmig_query {',
        *('    default "";', *queries, "}"),
        _MERGE,
    ]
    unlike = (*_unlike(rules), *rules.staying("return 301 {host}$request_uri;"))
    yield HostFile("nginx/http.conf", lines_of(lines), rules.left, unlike)
    yield HostFile(
        "nginx/server.conf",
        "if ($cmsmig_gone) { return 410; }\n"
        "if ($cmsmig_new) { return 301 $cmsmig_to$cmsmig_args$cmsmig_anchor; }\n",
    )


def apache_files(rules: Rules) -> Iterator[HostFile]:
    """Source: httpd.apache.org, mod_rewrite. Works in a server's configuration and in
    .htaccess, which takes the slash in front away."""

    def rule(old: Address, to: str, flags: str) -> list[str]:
        path = _expression(old.path.removeprefix("/"))
        case = ",NC" if rules.is_alone(old) else ""
        return [
            *(
                f'RewriteCond "%{{QUERY_STRING}}" "(?:^|&){_expression(each)}(?:&|$)"'
                for each in old.parameters
            ),
            f'RewriteRule "^/?{path}/?$" "{to}" [{flags}{case}]',
        ]

    def moved(old: Address, to: str) -> list[str]:
        to = to.replace("%", r"\%")
        before, sign, anchor = to.partition("#")
        joint = "&" if "?" in before else "?"
        if not sign:
            return rule(old, to, "R=301,L,NE,QSA" if joint == "&" else "R=301,L,NE")
        *conditions, merged = rule(old, f"{before}{joint}%1#{anchor}", "R=301,L,NE")
        return [
            *(*conditions, 'RewriteCond "%{QUERY_STRING}" "(.+)"', merged),
            *rule(old, to, "R=301,L,NE"),
        ]

    single, gone = rules.single(), rules.gone()
    made = [(old, rule(old, "-", "G")) for old in gone]
    made += [(old, moved(old, to)) for old, to in single]
    made.sort(key=lambda each: not each[0].query)
    lines = ["RewriteEngine On", *(line for _, each in made for line in each)]
    for old, to in rules.patterns("*"):
        # The rest of the address is copied as it was sent, still percent-encoded.
        sent = f"^[A-Z]+ {_sent_expression(old)}/({_REST_AS_SENT})/?[? ]"
        end = to.replace("%", r"\%").replace("*", "%1")
        flags = "R=301,L,NE,QSA" if "?" in end else "R=301,L,NE"
        lines += [
            f'RewriteCond "%{{THE_REQUEST}}" "{sent}"',
            f'RewriteRule "^" "{end}" [{flags}]',
        ]
    rules.kept(single, _IN_HTACCESS)
    last = 'RewriteRule "^" "{host}%{REQUEST_URI}" [R=301,L,NE]'
    unlike = [*_unlike(rules), *rules.staying(last)]
    yield HostFile("apache/redirects.conf", lines_of(lines), rules.left, unlike)


def _unlike(rules: Rules) -> list[str]:
    rows = rules.addresses.patterns
    olds = ", ".join(row.old for row in rows)
    if not rows:
        return []
    return [f"A pattern finds an address in its own case alone: {olds}."]


def _path_expression(rules: Rules, old: Address) -> str:
    path = _expression(old.path)
    return f"(?i:{path})" if rules.is_alone(old) else path


def _query_expression(old: Address) -> str:
    """Return an expression for a query that has these parameters, in any order."""
    each = (f"(?=(?:.*&)?{_expression(one)}(?:&|$))" for one in old.parameters)
    return f"[?]{''.join(each)}.*" if old.query else ""


def _sent_expression(above: Address) -> str:
    """Return an expression for a path as it is sent, with hex digits in any case."""
    return "".join(
        either_case(part) if ESCAPE.fullmatch(part) else _expression(part)
        for part in ESCAPE.split(above.sent)
    )


def _expression(path: str) -> str:
    """Return a regular expression that matches the bytes of a path."""
    return "".join(
        chr(byte) if _WORD.match(bytes((byte,))) else f"\\x{byte:02X}"
        for byte in path.encode()
    )


def lines_of(lines: Sequence[str]) -> str:
    """Return lines as the text of a file."""
    return "".join(f"{line}\n" for line in lines)
