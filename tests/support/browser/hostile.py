"""A small site whose texts try to run something wherever they are shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.support.browser.hearing import MARKER
from tests.support.sites.exact import write_small_site


def says(vector: str) -> str:
    """Return a script that tells on the console that it ran."""
    return f"console.log('{MARKER}: {vector}')"


VECTORS = {
    "script": f"<script>{says('script')}</script>",
    "onerror": f'<img src="data:image/png;base64,AAAA" onerror="{says("onerror")}">',
    "svg": f'<svg onload="{says("svg")}"></svg>',
    "toggle": f'<details open ontoggle="{says("toggle")}">More</details>',
    "frame": f'<iframe srcdoc="<script>{says("frame")}</script>"></iframe>',
    "frame-address": f'<iframe src="javascript:{says("frame-address")}"></iframe>',
    "link": f'<a href="javascript:{says("link")}">Follow the hostile link</a>',
}
"""What runs in an unguarded page; the link when it is clicked."""
ABROAD = (
    '<img src="https://abroad.example/tracker.png" alt="A tracker">'
    '<iframe src="https://video.example/embed/1" width="560" height="315"></iframe>'
    "<style>@import url(https://abroad.example/style.css);</style>"
)
"""What asks another host for something in an unguarded page."""
_FORMULA = r"$\href{https://abroad.example/}{x}$ $5 for one, $10 for two"
"""What a page that typesets makes a link of, and garbles."""
HOSTILE_NAME = f'<img src="data:," onerror="{says("name")}">{_FORMULA}'
HOSTILE_SITE = f'Saltmarsh <img src="data:," onerror="{says("site")}">{_FORMULA}'
_BODY = "".join(VECTORS.values()) + ABROAD + f"<p>{_FORMULA}</p>"
_EMBED = (
    '<div data-rt-embed-type="true">'
    f"<script>{says('embed')}</script>"
    '<iframe src="https://maps.example/embed/2"></iframe></div>'
)

MANY_HOSTS = 21
"""Hosts of frames: with those above and the kinds, more than a page of the list."""
_FRAMES = "".join(
    f'<iframe src="https://frames{n}.example/embed"></iframe>'
    for n in range(MANY_HOSTS)
)
_OPEN = (
    '<div data-rt-embed-type="true"><div><div>Never closed</div></div>'
    '<p id="">And the text continues.</p>'
)
_INSTANCES = (
    f'<wf-component component-id="c1" name="Card" prop-p1="{says("scalar")}">'
    f'<wf-prop name="p2" label="Text" type="richtext">{VECTORS["svg"]}</wf-prop>'
    '</wf-component><wf-component component-id="c2" name="Strip" prop-p1="7">'
    '<wf-prop name="p2" label="Text" type="richtext"><p>All of it.</p></wf-prop>'
    "</wf-component>"
)
_PARTS = (
    "<h2>Sources</h2><p>Three logs agree.</p><p>A fourth does not.</p>"
    "<blockquote>The ford was gone by noon.</blockquote><p>So it was.</p>"
)
MOODS = {"1" * 24: HOSTILE_NAME, "2" * 24: "Grave"}
"""The options of a field of the notes, by their id."""
SPLIT_NOTES = ("note-5", "note-6", "note-7", "note-8")
"""The notes with a heading and a quote in their text."""


PAGES = [
    {"id": "1", "title": HOSTILE_NAME, "slug": "about", "publishedPath": "/about"},
    {"id": "2", "title": "Template", "slug": "note", "collectionId": "3" * 24},
]
"""A page of the designer, and the template of a collection."""


_RENAMED = '<p><a href="/memos/note-5">A note</a>, from when notes were memos</p>'


def write_hostile_site(folder: Path) -> None:
    """Write the small site, some of its notes hostile, one reference dangling, with a
    list of options."""
    write_small_site(folder)
    sites = folder / "sites.json"
    document = json.loads(sites.read_text("utf-8"))
    document["sites"][0]["displayName"] = HOSTILE_SITE
    sites.write_text(json.dumps(document), "utf-8")
    (folder / "pages.json").write_text(json.dumps({"pages": PAGES}), "utf-8")
    for path in folder.glob("collections/*.json"):
        _add_options(path)
    for path in [*folder.glob("items/*.json"), *folder.glob("live/*.json")]:
        _rewrite(path, _made_hostile)


def _add_options(path: Path) -> None:
    schema = json.loads(path.read_text("utf-8"))
    if schema["slug"] != "notes":
        return
    listed = [{"id": each, "name": name} for each, name in MOODS.items()]
    mood = {"id": "3" * 24, "type": "Option", "slug": "mood", "displayName": "Mood"}
    rules = {"isRequired": False, "validations": {"options": listed}}
    schema["fields"].append({**schema["fields"][-1], **mood, **rules})
    path.write_text(json.dumps(schema), "utf-8")


def _rewrite(path: Path, change: Callable[[dict], dict]) -> None:
    items = [change(each) for each in json.loads(path.read_text("utf-8"))["items"]]
    lines = ",\n".join(json.dumps(each, ensure_ascii=False) for each in items)
    path.write_text(f'{{"items": [\n{lines}\n]}}\n', "utf-8")


def _made_hostile(item: dict) -> dict:
    fields = item["fieldData"]
    if fields.get("slug") == "note-1":
        fields["text"] += _BODY + _RENAMED
    if fields.get("slug") == "note-2":
        fields["text"] += _EMBED + _FRAMES + _OPEN
    if fields.get("slug") in SPLIT_NOTES:
        fields["text"] += _PARTS
        fields["mood"] = next(iter(MOODS))
    if fields.get("slug") == "note-3":
        fields["name"] = HOSTILE_NAME
    if fields.get("slug") == "note-4":
        fields["about"] = "0" * 24
        fields["text"] += _INSTANCES
    if fields.get("slug") == "spot-1":
        fields["line"] = _BODY
    return item
