"""A small site as a pull leaves it, and the controls of a panel, driven by name."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.settings import Project

POSTS, PEOPLE = "65a000000000000000000001", "65a000000000000000000002"

LOSSY = (
    '<h2>One</h2><p onclick="steal()">Text with a <a href="javascript:steal()">bad '
    'link</a></p><script>steal()</script><img src="x" onerror="steal()">'
)
VIDEO = (
    '<p>Look</p><figure class="w-richtext-figure-type-video"><div>'
    '<iframe src="https://video.example.com/embed/7"></iframe></div></figure>'
)
WIDGET = (
    '<div data-rt-embed-type="true"><script src="https://widgets.example.com/a.js">'
    "</script></div><p>After</p>"
)


def _field(slug: str, kind: str, **more: object) -> dict[str, object]:
    return {
        "id": f"f-{slug}",
        "slug": slug,
        "displayName": slug.title(),
        "type": kind,
        "isRequired": slug in ("name", "slug"),
        **more,
    }


def _item(item_id: str, name: str, **data: object) -> dict[str, object]:
    return {
        "id": item_id,
        "cmsLocaleId": None,
        "lastPublished": "2024-02-01T00:00:00.000Z",
        "lastUpdated": "2024-01-02T00:00:00.000Z",
        "createdOn": "2024-01-01T00:00:00.000Z",
        "isArchived": False,
        "isDraft": False,
        "fieldData": {"name": name, "slug": item_id, **data},
    }


def write_site(folder: Path) -> None:
    """Write two collections: posts with bodies, and people whom posts refer to."""
    tones = [{"id": "t1", "name": "Report"}, {"id": "t2", "name": "Essay"}]
    schemas = {
        POSTS: (
            "Posts",
            "posts",
            [
                _field("name", "PlainText"),
                _field("slug", "PlainText"),
                _field("body", "RichText"),
                _field("tone", "Option", validations={"options": tones}),
                _field("author", "Reference", validations={"collectionId": PEOPLE}),
            ],
        ),
        PEOPLE: (
            "People",
            "people",
            [_field("name", "PlainText"), _field("slug", "PlainText")],
        ),
    }
    items = {
        POSTS: [
            _item("plain", "Plain", body="<p>Nothing is lost.</p>", tone="t1"),
            _item("lossy", "<b>Lossy</b>", body=LOSSY, tone="t2", author="ada"),
            _item("video", "Video", body=VIDEO),
            _item("widget", "Widget", body=WIDGET + VIDEO),
            {**_item("draft", "Draft"), "isDraft": True, "lastPublished": None},
        ],
        PEOPLE: [_item("ada", "Ada")],
    }
    _write(
        folder / "sites.json",
        {"sites": [{"id": "s1", "displayName": "S", "shortName": "s"}]},
    )
    _write(
        folder / "collections.json",
        {"collections": [{"id": each} for each in schemas]},
    )
    for collection_id, (name, slug, fields) in schemas.items():
        _write(
            folder / "collections" / f"{collection_id}.json",
            {
                "id": collection_id,
                "displayName": name,
                "singularName": name,
                "slug": slug,
                "fields": fields,
            },
        )
        live = [one for one in items[collection_id] if not one["isDraft"]]
        _lines(folder / "items" / f"{collection_id}.json", items[collection_id])
        _lines(folder / "live" / f"{collection_id}.json", live)


def pulled_workspace(
    root: Path, *, interactive: bool = False, dry_run: bool = False
) -> Workspace:
    """Return a workspace on a project folder into which the site was pulled."""
    project = Project(root)
    if not project.raw.exists():
        write_site(project.raw)
    return Workspace(project, dry_run, interactive)


class Controls:
    """The controls of a shown panel, driven as a person does."""

    def __init__(self, element: object) -> None:
        self._root = element._handle

    def named(self, name: str) -> list:
        """Return the controls of this name, in their order."""
        found, stack = [], [self._root]
        while stack:
            one = stack.pop()
            if f"cmsmig-{name}" in one._dom_classes:
                found.append(one)
            stack.extend(reversed(getattr(one, "children", ())))
        return found

    async def enter(self, name: str, value: object, number: int = 0) -> None:
        """Give a control another value and let what follows happen."""
        self.named(name)[number].value = value
        await settled()

    async def click(self, name: str) -> None:
        """Click a button and let what follows happen."""
        self.named(name)[0].click()
        await settled()

    def shown(self) -> str:
        """Return all the HTML on show."""
        texts, stack = [], [self._root]
        while stack:
            one = stack.pop()
            if type(one).__name__ == "HTML":
                texts.append(one.value)
            stack.extend(reversed(getattr(one, "children", ())))
        return "\n".join(texts)


async def settled() -> None:
    """Let the queued actions run."""
    for _ in range(8):
        await asyncio.sleep(0)


def _write(path: Path, body: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(body), encoding="utf-8")


def _lines(path: Path, items: list) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = ",\n".join(json.dumps(one) for one in items)
    path.write_text(f'{{"items": [\n{rows}\n]}}\n', encoding="utf-8")
