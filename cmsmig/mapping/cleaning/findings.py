"""What an editor may want to clean, in one value. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set

from cmsmig.canonical import Json
from cmsmig.mapping import naming
from cmsmig.mapping.cleaning.body_edits import OBJECT, Body, is_empty
from cmsmig.mapping.cleaning.cleaner import closed, find_blanks, is_name
from cmsmig.mapping.convert.asset_uploads import (
    FILE_TYPES,
    file_objects,
)
from cmsmig.mapping.convert.file_addresses import host_of
from cmsmig.mapping.decisions.cleaning import BODY, LINK_TYPES, TEXT_TYPES
from cmsmig.origin.schema import Field
from cmsmig.richtext.html.dom import text_of

CLEAN = "clean:"
"""Before the name of a finding."""
FEWEST_WORDS = 40
FINDINGS: Mapping[str, str] = {
    "top-heading": "first-level headings in a body",
    "jump": "headings that leave out a level",
    "empty-heading": "empty headings",
    "blanks": "accidental blanks",
    "vague-link": "links that say “here” or “read more”",
    "name-alt": "file names as alternative text",
    "test-domain": "links to the old site's test domain",
    "short": f"bodies of fewer than {FEWEST_WORDS} words",
    "near-equal": "nearly equal bodies",
    "spellings": "values spelled in several ways",
}
"""In words, after "items with"."""
_VAGUE = """
here|click here|read more|more|learn more|this|link|this link|see more
find out more|hier|hier klicken|klicken sie hier|mehr|mehr lesen|weiterlesen
mehr erfahren|mehr dazu|ici|cliquez ici|en savoir plus|lire la suite|plus
voir plus|aqui|haz clic aqui|haga clic aqui|leer mas|ver mas|mas|mas informacion
saber mas|clique aqui|leia mais|saiba mais|ver mais|qui|clicca qui|leggi
leggi di piu|leggi tutto|scopri di piu|lees meer|klik hier|meer|lees verder|her
las mer|klicka har|har|les mer|klikk her|laes mere|klik her|tutaj|kliknij tutaj
czytaj wiecej|wiecej|zde|kliknete zde|vice|lue lisaa|tasta|daha fazla|burada
подробнее|здесь|тут|читать далее|もっと見る|こちら|详细|点击这里|더보기|여기
"""
VAGUE_TEXTS = frozenset(map(naming.folded, re.split(r"[|\n]", _VAGUE.strip())))
"""Texts of links that say nothing about where they lead, in the languages of sites.
Source: WCAG 2.2, 2.4.4."""
_SIGNS = " \t\n\r\xa0.…:!?»›→>"


def findings_in(
    field: Field, value: Json, trial_hosts: Set[str]
) -> Iterator[tuple[str, list[str]]]:
    """Yield each finding in a value, with what was found."""
    found = _found(field, value, trial_hosts)
    yield from ((name, places) for name, places in found.items() if places)


def _found(field: Field, value: Json, trial_hosts: Set[str]) -> dict[str, list[str]]:
    if field.type in FILE_TYPES:
        files = (found for found, _ in file_objects(value))
        return {"name-alt": [e.alt for e in files if is_name(e.alt, e.address)]}
    if not isinstance(value, str) or field.slug == "slug":
        return {}
    if field.type == BODY:
        return _in_body(value, trial_hosts)
    return {
        "blanks": [value] if field.type in TEXT_TYPES and find_blanks(value) else [],
        "test-domain": (
            [value]
            if field.type in LINK_TYPES and host_of(value) in trial_hosts
            else []
        ),
    }


def _in_body(html: str, trial_hosts: Set[str]) -> dict[str, list[str]]:
    body = Body(html)
    texts = body.texts
    headings = [(int(e.tag[1]), texts[body.first_lines[e]]) for e in body.headings]
    levels = [level for level, _ in headings]
    links = [(each.attributes["href"], text_of(each)) for each in body.links]
    words = " ".join(texts).replace(OBJECT, " ").split()
    alts = zip(body.addresses(), body.alts, strict=True)
    found = {
        "top-heading": [text for level, text in headings if level == 1],
        "jump": [
            text
            for (level, text), new in zip(headings, closed(levels), strict=True)
            if new != level
        ],
        "empty-heading": [each.tag for each in body.headings if is_empty(each)],
        "blanks": [each for each in texts if find_blanks(each)],
        "vague-link": [
            f"{text.strip()} → {href}"
            for href, text in links
            if naming.folded(text.strip(_SIGNS)) in VAGUE_TEXTS
        ],
        "name-alt": [alt for address, alt in alts if is_name(alt, address)],
        "test-domain": [href for href, _ in links if host_of(href) in trial_hosts],
        "short": [" ".join(words)] if 0 < len(words) < FEWEST_WORDS else [],
    }
    body.close()
    return found
