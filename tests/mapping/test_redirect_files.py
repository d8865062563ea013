"""The redirect files of hosts, as text; `make conformance` asks the hosts."""

from __future__ import annotations

import json
from typing import Any

from cmsmig.evidence.host_files import HostFile, host_files
from cmsmig.item_key import ItemKey
from cmsmig.mapping.decisions.redirects import RedirectAction, RedirectChoice
from cmsmig.mapping.decisions.redirects import RedirectsDecision as Decided
from cmsmig.mapping.redirects.address_map import (
    AddressMap,
    KnownAddress,
    Source,
)
from cmsmig.mapping.redirects.address_resolver import map_addresses
from tests.support.cases import cases

FILES = {
    "netlify": "netlify/_redirects",
    "vercel": "vercel/vercel.json",
    "cloudflare": "cloudflare/_redirects",
    "nginx": "nginx/http.conf",
    "apache": "apache/redirects.conf",
    "csv": "redirects.csv",
}


def addresses_of(case: dict[str, Any]) -> AddressMap:
    """Return a map in which addresses moved and others are gone."""
    long = "日" * 250
    moved = {
        old.replace("LONG", long): new for old, new in case.get("moved", {}).items()
    }
    many = range(case.get("many", 0))
    moved |= {f"/many/{number}": f"/m/a-{number}" for number in many}
    known = [KnownAddress(old, Source.ITEM, new) for old, new in moved.items()]
    pages = {new: ItemKey("c", new, "") for new in moved.values()}
    gone = [
        RedirectChoice(old=old, action=RedirectAction.GONE)
        for old in case.get("gone", ())
    ]
    decided = Decided(tuple(gone), host=case.get("host", ""))
    return map_addresses(known, pages, frozenset(), decided)


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
    files = {each.name: each for each in host_files(addresses_of(case))}
    for name in FILES.keys() & case.keys():
        found = rules_of(name, files[FILES[name]])
        if "partly" in case:
            found = [each for each in found if each in case[name]]
        assert found == case[name], name
    if "many" in case:
        bulk = json.loads(files["vercel/bulk-redirects.json"].text)
        kept = rules_of("cloudflare", files[FILES["cloudflare"]])
        assert (len(bulk), len(kept)) == (case["many"], 2000)
    left = {
        name: sum(map(len, files[path].left.values()))
        for name, path in FILES.items()
        if files[path].left
    }
    assert left == case.get("left", {})
