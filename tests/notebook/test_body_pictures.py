"""Notebook 03: pictures of bodies come from the local copies, and nothing else does."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from PIL import Image

from cmsmig.notebook.previewing import body_preview, open_previews
from cmsmig.origin.files import FileRow, FileStore
from cmsmig.ui.html.sanitizer import sanitised
from tests.notebook.test_safehtml import HOSTILE, Seen
from tests.support.notebook.page import Page, worked
from tests.support.notebook.pulled_site import VIDEO, pulled_workspace
from tests.support.notebook.session import decide_all

HELD = "data:image/png;base64,iVBORw0KGgo="
HERE, GONE = "https://cdn.example.com/here.png", "https://cdn.example.com/gone.png"
DRAWING = "https://cdn.example.com/drawing.svg"
BODY = "".join(
    f'<figure><div><img src="{each}" alt="Flats"></div></figure>'
    for each in (HERE, GONE, DRAWING)
)


async def _with_files(root: Path) -> None:
    """Write a site one body of which holds three pictures: one is a drawing, of one
    there are no bytes."""
    project = pulled_workspace(root).project
    for path in project.raw.glob("*/*.json"):
        text = path.read_text("utf-8")
        path.write_text(text.replace(json.dumps(VIDEO)[1:-1], json.dumps(BODY)[1:-1]))
    made = io.BytesIO()
    Image.new("RGB", (40, 30), "green").save(made, "PNG")
    drawing = b'<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0h9v9z"/></svg>'
    rows = [FileRow(GONE, error="gone", detail="The address answers 404.")]
    for address, body in ((HERE, made.getvalue()), (DRAWING, drawing)):
        digest = hashlib.sha256(body).hexdigest()
        project.files.mkdir(exist_ok=True)
        (project.files / digest).write_bytes(body)
        rows.append(FileRow(address, digest, len(body), "image/png"))
    FileStore(project.files, project.raw).save(rows)
    await decide_all(pulled_workspace(root))


def _pictures(html: str) -> list[str]:
    """Return the addresses that images load."""
    return [img["src"] for img in BeautifulSoup(html, "html.parser").select("img")]


async def test_both_sides_show_the_local_copy(tmp_path: Path) -> None:
    """The file that is there is shown, a drawing and a missing one stay boxes."""
    await _with_files(tmp_path)
    previews = open_previews(pulled_workspace(tmp_path, interactive=True))
    editor = Page(body_preview(previews, "video"))
    await worked()
    [origin], [target] = (
        _pictures(editor.html("origin")),
        _pictures(editor.html("target")),
    )
    assert origin == target
    assert origin.startswith("data:image/jpeg;base64,")
    assert editor.html("origin").count("[image: ") == 2
    assert editor.html("target").count("[image: ") == 2
    static = open_previews(pulled_workspace(tmp_path))
    html = str(body_preview(static, "video").html())
    assert len(_pictures(html)) == html.count("data:image/") == 2
    assert "Video" in editor.text("title")


async def test_a_body_shows_a_bounded_number_of_pictures(tmp_path: Path) -> None:
    """What goes beyond it stays a box that names the picture."""
    await _with_files(tmp_path)
    side = open_previews(pulled_workspace(tmp_path)).pictures()
    many = sanitised(f'<img src="{HERE}">' * 30, side)
    seen = Seen(many)
    assert seen.tags.count("img") == 24
    assert seen.text.count("[image: ") == 6


@pytest.mark.parametrize(
    "found",
    [
        "https://example.com/x.png",
        "javascript:alert(1)",
        "data:text/html;base64,AAAA",
        "data:image/svg+xml;base64,AAAA",
        'data:image/png;base64,AAAA" onload="alert(1)',
    ],
)
def test_only_pictures_of_pixels_are_shown(found: str) -> None:
    """Whatever is found for an address, nothing else than held pixels gets in."""
    seen = Seen(sanitised('<img src="x"><p>after</p>', lambda _: found))
    assert "img" not in seen.tags


@pytest.mark.parametrize("body", [*HOSTILE, f'<img src="{HELD}" onerror="alert(1)">'])
def test_hostile_bodies_bring_no_picture_of_their_own(body: str) -> None:
    """With pictures shown, an image has what was found for it, and no handler."""
    seen = Seen(sanitised(body, lambda _: HELD))
    sources = {value for name, value in seen.attributes if name == "src"}
    assert sources <= {HELD}
    names = {name for name, _ in seen.attributes}
    assert names <= {"alt", "class", "src", "title"}
    assert not {"script", "iframe", "svg", "object"} & set(seen.tags)
