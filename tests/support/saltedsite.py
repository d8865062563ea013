"""A small site whose every text holds what a test wants to follow to the output."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.options import SandboxOptions
from tests.support.rehearsal import Rehearsal
from tests.support.sandbox.observed import running_sandbox
from tests.support.sites.identity import asset, option_id, ref, refs
from tests.support.sites.markup import image, linked, paragraphs
from tests.support.sites.records import Column, Entry, State, Table, into, site_record
from tests.support.sites.writer import Content, write_content

_TONES = ("report", "essay")
_POSTS = Table(
    "posts",
    "Posts",
    "Post",
    (
        Column("RichText", "body", "Body", True, help_text="What is read"),
        Column("PlainText", "line", "Line", False, {"singleLine": True}),
        Column("Image", "picture", "Picture", help_text="Next to the text"),
        Column("MultiImage", "plates", "Plates"),
        Column(
            "Option",
            "tone",
            "Tone",
            validations={
                "options": [
                    {"id": option_id("posts", "tone", each), "name": each.title()}
                    for each in _TONES
                ]
            },
        ),
        Column("Link", "more", "More"),
        Column("Email", "mail", "Mail"),
        Column("Reference", "author", "Author", False, into("people")),
        Column("MultiReference", "related", "Related", False, into("posts")),
    ),
    nulls=True,
)
_PEOPLE = Table(
    "people",
    "People",
    "Person",
    (Column("PlainText", "line", "Line", False, {"singleLine": True}),),
    nulls=True,
)
_READ = frozenset(("displayName", "singularName", "helpText", "alt", "message"))
"""Keys of texts that people read, besides those of an item's own fields."""


def write_salted_site(folder: Path, salt: str) -> None:
    """Write four posts and a person, `salt` in every text that is not an id, in the
    slugs of items, fields and collections, too."""
    posts = tuple(_post(number) for number in range(4))
    french: JsonObject = {"name": "Ada (fr)", "slug": "ada-fr"}
    people = (
        Entry("0", {"name": "Ada", "slug": "ada", "line": "Writes"}, french=french),
    )
    write_content(folder, Content(site_record(), ((_POSTS, posts), (_PEOPLE, people))))
    for path in sorted(folder.rglob("*.json")):
        before = json.loads(path.read_text("utf-8"))
        text = json.dumps(_salted(before, salt), indent=None)
        path.write_text(text.replace('{"id": "', '\n{"id": "'), "utf-8")


def _post(number: int) -> Entry:
    body = paragraphs(f"Text {number}", linked(f"/posts/post-{number ^ 1}", "Onward"))
    if number == 1:
        body += image(f"body-{number}.png", alt="In the body", caption="A caption")
    data: JsonObject = {
        "name": f"Post {number}",
        "slug": f"post-{number}",
        "body": body,
        "line": "One line",
        "picture": asset(f"picture-{number}.png", "A picture"),
        "plates": [asset(f"plate-{number}.png", "A plate")],
        "tone": option_id("posts", "tone", _TONES[number % 2]),
        "more": "https://more.example/page",
        "mail": "ada@more.example",
        "author": ref("people", "0"),
        "related": refs("posts", str(number ^ 1), "gone"),
    }
    french: JsonObject = {"name": f"Billet {number}", "slug": f"billet-{number}"}
    state = State.DRAFT if number == 3 else State.PUBLISHED
    return Entry(str(number), data, state, french=french if number == 0 else None)


def _salted(value: Json, salt: str) -> Json:
    if isinstance(value, list):
        return [_salted(each, salt) for each in value]
    if not isinstance(value, dict):
        return value
    made = {name: _salted(held, salt) for name, held in value.items()}
    for name, held in value.items():
        if isinstance(held, str) and name in _READ:
            made[name] = f"{held}{salt}"
    if isinstance(value.get("fieldData"), dict):
        made["fieldData"] = _fields(value["fieldData"], salt)
    elif "options" in value:
        made["options"] = [
            {**option, "name": f"{option['name']}{salt}"} for option in value["options"]
        ]
    elif "slug" in value and value["slug"] not in ("name", "slug"):
        made["slug"] = f"{value['slug']}{salt}"
    return made


def _fields(fields: JsonObject, salt: str) -> JsonObject:
    made: JsonObject = {}
    for name, held in fields.items():
        kept = name in ("name", "slug")
        new = _salted(held, salt)
        if isinstance(held, str) and name in ("name", "slug", "line", "more", "mail"):
            new = f"{held}{salt}"
        if isinstance(held, str) and name == "body":
            new = f"{held}{_body(salt)}"
        made[name if kept else f"{name}{salt}"] = new
    return made


def _body(salt: str) -> str:
    text = escape(salt)
    return (
        f'<h2 id="a{text}">Head{text}</h2><p title="{text}">Text{text} '
        f'<a href="https://more.example/{text}" title="{text}">link{text}</a></p>'
        f'<iframe src="https://video.example/{text}" title="{text}"></iframe>'
        f"<div data-rt-embed-type='true'><script>{text}</script></div>"
        f'<marquee class="{text}">{text}</marquee>'
        f'<img src="https://pictures.example/{text}.png" alt="Alt{text}">'
        f"<pre><code>{text}</code></pre><p><code>{text}</code></p>"
    )


@contextmanager
def salted_project(folder: Path, salt: str) -> Iterator[Rehearsal]:
    """Start a project on a site with this salt, nothing pulled yet."""
    write_salted_site(folder / "content", salt)
    options = SandboxOptions(folder / "content", rate=900, origin_rate=60_000)
    with running_sandbox(options) as handle:
        yield Rehearsal.start(handle, folder / "project", 900, folder / "state")
