"""Where old addresses lead, what is proposed for those that wait, and hosts' files.

`make conformance` asks the hosts.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from cmsmig.evidence.host_files import HostFile, host_files
from cmsmig.item_key import ItemKey
from cmsmig.mapping.decisions.redirects import (
    RedirectAction,
    RedirectChoice,
    RedirectsDecision,
)
from cmsmig.mapping.redirects.address_map import (
    AddressMap,
    AddressOutcome,
    AddressRow,
    KnownAddress,
    LeftOut,
    Source,
)
from cmsmig.mapping.redirects.address_resolver import map_addresses
from cmsmig.mapping.redirects.moved_files import MovedFiles
from cmsmig.mapping.redirects.origin_rules import read_rules
from cmsmig.mapping.redirects.redirect_proposals import propose_redirects
from cmsmig.mapping.select.routes import Routes
from cmsmig.origin.schema import Site
from cmsmig.richtext.engine import UploadedAsset
from tests.support.cases import cases


def addresses_of(case: dict[str, Any]) -> AddressMap:
    """Return the map of a case."""
    known, pages, lists = [], {}, set()
    for name, listed in case["known"].items():
        source = Source(name.removesuffix(" again"))
        for old, new in listed.items():
            one = case.get("one item", "")
            key = ItemKey("c", one or f"{old} {name}", old if one else "")
            key = key if source is Source.ITEM else None
            known.append(KnownAddress(old, source, new, key))
            if key and new:
                pages.setdefault(new, key)
            if source is Source.COLLECTION:
                lists.add(new)
    decided = tuple(_choice(*each) for each in case.get("decided", {}).items())
    left_out = {
        old: LeftOut(ItemKey("c", f"{old} item", ""), old, why, why == "archived")
        for old, why in case.get("left out", {}).items()
    }
    decision = RedirectsDecision(decided)
    files = MovedFiles.of(
        {old: UploadedAsset(1, new) for old, new in case.get("files", {}).items()}
    )
    return map_addresses(known, pages, frozenset(lists), decision, left_out, files)


def _choice(old: str, what: str) -> RedirectChoice:
    if what.startswith(("/", "http")):
        return RedirectChoice(old=old, action=RedirectAction.MOVE, to=what)
    return RedirectChoice(old=old, action=RedirectAction(what))


def _outcome(row: AddressRow) -> str:
    moved = row.outcome is AddressOutcome.MOVED
    assert row.is_pattern or bool(row.why) == (row.outcome is AddressOutcome.WAITING)
    return f"{row.new}{row.tail}" if moved else str(row.outcome)


@cases(__file__, "address_map.yaml")
def test_every_address_has_one_outcome(case: dict[str, Any]) -> None:
    """No chain, no loop, no hidden page; and each rule once."""
    found = addresses_of(case)
    rows = {row.old: _outcome(row) for row in found.rows}
    wanted = case.get("leads", {})
    assert {old: rows[old] for old in wanted} == wanted
    moved = {old for old, new in rows.items() if new.startswith("/")}
    assert not [old for old in moved if rows[old] in moved]
    whys = {row.old: row.why for row in found.rows}
    assert {old: whys[old] for old in case.get("why", {})} == case.get("why", {})
    for name in {"shadowed", "shared"} & case.keys():
        assert [*getattr(found, name)] == case[name]
    if "patterns" in case:
        assert {row.old: row.new for row in found.patterns} == case["patterns"]
    if "rules" in case:
        assert [row.old for row in found.rules] == case["rules"]
    if "proposed" in case:
        proposed = propose_redirects(found)
        assert {each.old: each.to or str(each.action) for each in proposed} == case[
            "proposed"
        ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_of_a_rules_file_end_in_any_way(end: str) -> None:
    """Some spreadsheets end them with a carriage return alone."""
    site = Site("s", "Site", "site", "UTC", (), ())
    text = end.join(("source;target", "/one;/a", "/two;/b", ""))
    known, unused = read_rules(text, Routes(site, (), {}, {}))
    assert [(each.old, each.to) for each in known] == [("/one", "/a"), ("/two", "/b")]
    assert not unused


def test_brackets_with_an_escape_are_no_pattern() -> None:
    """The rule leads where it says; one with other brackets waits for a person."""
    site = Site("s", "Site", "site", "UTC", (), ())
    known, _ = read_rules("/a%(b%),/new\n/(.*)/amp,/%1", Routes(site, (), {}, {}))
    assert [(e.old, e.to) for e in known] == [("/a(b)", "/new"), ("/(.*)/amp", "")]


def test_a_target_without_a_scheme_is_on_another_host() -> None:
    """It is no path of this site."""
    site = Site("s", "Site", "site", "UTC", (), ())
    known, _ = read_rules("/a,//files.example/b.pdf", Routes(site, (), {}, {}))
    assert [each.to for each in known] == ["https://files.example/b.pdf"]


FILES = {
    "netlify": "netlify/_redirects",
    "vercel": "vercel/vercel.json",
    "cloudflare": "cloudflare/_redirects",
    "nginx": "nginx/http.conf",
    "apache": "apache/redirects.conf",
    "csv": "redirects.csv",
}


def moved_addresses(case: dict[str, Any]) -> AddressMap:
    """Return a map in which addresses moved and others are gone."""
    long = "日" * 250
    moved = {
        old.replace("LONG", long): new for old, new in case.get("moved", {}).items()
    }
    many = range(case.get("many", 0))
    moved |= {f"/many/{number}": f"/m/a-{number}" for number in many}
    known = [KnownAddress(old, Source.ITEM, new) for old, new in moved.items()]
    pages = {re.split("[?#]", new)[0]: ItemKey("c", new, "") for new in moved.values()}
    gone = [
        RedirectChoice(old=old, action=RedirectAction.GONE)
        for old in case.get("gone", ())
    ]
    decided = RedirectsDecision(tuple(gone), host=case.get("host", ""))
    return map_addresses(known, pages, frozenset(), decided, {})


def rules_of(name: str, file: HostFile) -> list[Any]:
    """Return the rules in a file."""
    if name == "vercel":
        return json.loads(file.text)["redirects"]
    signs = {
        "nginx": ('    "/', '    "~^/'),
        "apache": ("RewriteRule",),
    }
    lines = file.text.splitlines()
    return [each for each in lines if each.startswith(signs.get(name, ("/",)))]


@cases(__file__, "redirect_files.yaml")
def test_a_file_holds_every_rule_as_its_host_reads_it(case: dict[str, Any]) -> None:
    """Each line that a case names, in its order; and what is left out is counted."""
    files = {each.name: each for each in host_files(moved_addresses(case))}
    for name in FILES.keys() & case.keys():
        found = rules_of(name, files[FILES[name]])
        if "partly" in case:
            found = [each for each in found if each in case[name]]
        assert found == case[name], name
    if "many" in case:
        bulk = json.loads(files["vercel/bulk-redirects.json"].text)
        notes = files["vercel/vercel.json"].notes
        assert notes.count(" in the bulk file.") == 2
        kept = rules_of("cloudflare", files[FILES["cloudflare"]])
        assert (len(bulk), len(kept)) == (case["many"], 2000)
    left = {
        name: sum(map(len, files[path].left.values()))
        for name, path in FILES.items()
        if files[path].left
    }
    assert left == case.get("left", {})
