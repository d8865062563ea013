"""Notebook 02: one item as the story it becomes, next to the table of the design."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import groupby

from markupsafe import Markup

from cmsmig.canonical import Json, JsonObject
from cmsmig.counting import counted
from cmsmig.mapping.convert.item_draft import StoryDraft
from cmsmig.mapping.decisions.design import ContentTypeDesign
from cmsmig.mapping.propose.component_payloads import component_bodies
from cmsmig.mapping.propose.field_facts import is_blank
from cmsmig.notebook.design.design_file import DesignFile
from cmsmig.origin.schema import Item
from cmsmig.reconcile.rules.story_fields import story_to_create, wanted_fields
from cmsmig.review.design_edits import DesignEditor
from cmsmig.review.samples import (
    component_bodies_of,
    differences,
    form_fields,
)
from cmsmig.richtext.render import render_rich_text
from cmsmig.survey.value_facts import file_name
from cmsmig.ui.controls import button, search, select, words
from cmsmig.ui.html.html_templates import fragment
from cmsmig.ui.html.safe_html import (
    escape,
    joined,
    note,
    paragraph,
    sheet,
    source,
    stacked,
)
from cmsmig.ui.html.sanitizer import sanitised
from cmsmig.ui.query import folded
from cmsmig.ui.view import View, action

_VIEWS: Mapping[str, str] = {
    "form": "Form",
    "story": "Story as JSON",
    "component": "Component",
    "difference": "Difference to the space",
    "components": "All components",
}
"""The ways to look at an item, by the value of their button."""
_LISTED = 50
"""Items that the drop-down offers."""
_MOST = 20_000
"""Characters of a value, or of a JSON, that are shown."""
_made = partial(fragment, "notebook/design/item_story.html")


class ItemStory(View):
    """Shows one item of a content type as the design makes it."""

    prefix = "story"

    def __init__(self, file: DesignFile) -> None:
        super().__init__()
        self._file = file
        self._at = self._fullest()
        self._text = ""
        self._view = next(iter(_VIEWS))

    def choose(self) -> None:
        """Show an item of another content type."""
        self._at, self._text = self._fullest(), ""

    @action("search")
    def search(self, text: str) -> None:
        """List the items whose name or slug holds all words."""
        self._text = text
        found = self._found()
        if found and self._at not in found:
            self._at = found[0]
        self.show()

    @action("item")
    def open(self, at: str) -> None:
        """Show another item."""
        self._at = int(at)
        self.show()

    @action("previous", "Previous", key="p")
    def previous(self, _: str) -> None:
        """Show the item before."""
        self._step(-1)

    @action("next", "Next", key="n")
    def next(self, _: str) -> None:
        """Show the next item."""
        self._step(1)

    def _step(self, by: int) -> None:
        found = self._found()
        if not found:
            self.say("No item has this in its name.", "warning")
            return
        place = found.index(self._at) + by if self._at in found else 0
        if place not in range(len(found)):
            self.say("This is the last item in this direction.")
            return
        self._at = found[place]
        self.show()

    @action("view")
    def look(self, view: str) -> None:
        """Show the form, the story or its component."""
        if view in _VIEWS:
            self._view = view
        self.show()

    def _items(self) -> tuple[Item, ...]:
        return self._file.editor.sampler.items(self._file.content_type.collection_id)

    def _fullest(self) -> int:
        """Return the place of the first item that fills the most fields."""
        filled = [
            sum(not is_blank(value) for value in each.data.values())
            for each in self._items()
        ]
        return max(range(len(filled)), key=filled.__getitem__, default=0)

    def _found(self) -> list[int]:
        """Return the places of the items whose name or slug holds what is sought."""
        words = folded(self._text).split()
        names = (folded(f"{each.name} {each.slug}") for each in self._items())
        return [at for at, name in enumerate(names) if all(w in name for w in words)]

    def html(self, *, live: bool) -> Markup:
        """Return the item with the controls that choose it."""
        found = self._found()
        typed = search(
            "story-search", "Search", self._text, hint="name or slug", key="/"
        )
        place = found.index(self._at) if self._at in found else -1
        of = f"{place + 1:,} of {len(found):,}" if place >= 0 else "no such item"
        views = (
            button("story-view", title, row=view, key=key, main=view == self._view)
            for key, (view, title) in zip("12345", _VIEWS.items(), strict=True)
        )
        return _made(
            "panel",
            chooser=joined((typed, self._chooser(found, max(0, place)))),
            steps=joined((self.act("previous"), self.act("next"), words(of))),
            views=joined(views),
            messages=self.messages(),
            item=self._item(),
        )

    def _chooser(self, found: Sequence[int], place: int) -> Markup:
        """Return the drop-down of the items around the one on show."""
        start, items = place // _LISTED * _LISTED, self._items()
        options = [
            (f"{number}. {items[each].name or items[each].slug}", str(each))
            for number, each in enumerate(found[start : start + _LISTED], start + 1)
        ]
        none = [("no such item", "")]
        return select("story-item", "Item", options or none, str(self._at))

    def _item(self) -> Markup:
        """Return the item as the design makes it now, looked at in one way."""
        editor, place = self._file.editor, self._file.place
        content_type = self._file.content_type
        if self._view == "component":
            made = component_bodies_of(editor.design, content_type)
            return joined(map(_json, made.values()))
        if self._view == "difference":
            return _differences(editor, content_type)
        if self._view == "components":
            every = component_bodies(editor.design)
            return joined(_component(each.name, each.body) for each in every)
        items = self._items()
        if self._at >= len(items):
            return sheet(note("No item of this collection is migrated."))
        story = editor.story(place, items[self._at])
        if isinstance(story, str):
            return sheet(note(story, "bad"))
        if self._view == "story":
            return _story(story)
        return _form(editor, content_type, story, self._file.picture)


def _story(story: StoryDraft) -> Markup:
    body = story_to_create(wanted_fields(story, story.content), parent_id=None)
    said = "Relations stay empty until all stories exist; files get their address."
    return sheet(paragraph(said)) + _json(body)


def _form(
    editor: DesignEditor,
    content_type: ContentTypeDesign,
    story: StoryDraft,
    picture: Callable[[str], str],
) -> Markup:
    """Return the form that editors get; `picture` gives a small one for an address."""
    fields = form_fields(story, content_type, editor.sampler.item_names())
    groups = [
        (section, [(e, stacked(e.stories) or _shown(e.value, picture)) for e in listed])
        for section, listed in groupby(fields, key=lambda each: each.section)
    ]
    return _made("form", name=story.name, slug=story.place.slug, groups=groups)


def _shown(value: Json, picture: Callable[[str], str]) -> Markup:
    """Return a value of a story as an editor sees it."""
    if value is None or value in ("", [], {}):
        return _made("missing", text="empty")
    if isinstance(value, bool):
        return escape("yes" if value else "no")
    if isinstance(value, list):
        return stacked([_shown(each, picture) for each in value])
    if isinstance(value, dict):
        return _object(value, picture)
    return _made("long", text=str(value)[:_MOST])


def _object(value: JsonObject, picture: Callable[[str], str]) -> Markup:
    if value.get("type") == "doc":
        return _made("rich", content=sanitised(render_rich_text(value)))
    filename = value.get("filename")
    if isinstance(filename, str):
        alt = value.get("alt")
        named = f" — “{alt}”" if isinstance(alt, str) and alt.strip() else ""
        said = f"{file_name(filename)}{named}" if filename else "empty"
        return _made("file", source=picture(filename), said=said)
    for name in ("cached_url", "url", "color"):
        if isinstance(found := value.get(name), str) and found:
            return escape(found)
    if "component" in value:
        inside = [
            joined((escape(f"{key}: "), _shown(each, picture)))
            for key, each in value.items()
            if key not in ("_uid", "component")
        ]
        return stacked([escape(f"block {value['component']}"), *inside])
    return _made("long", text=_text(value))


def _component(name: str, body: JsonObject) -> Markup:
    schema = body.get("schema")
    fields = [
        (field.get("display_name") or key, key, field.get("type"))
        for key, field in (schema if isinstance(schema, dict) else {}).items()
        if isinstance(field, dict)
    ]
    count, content = counted(len(fields), "field"), _json(body)
    return _made("component", name=name, count=count, schema=fields, content=content)


def _differences(editor: DesignEditor, content_type: ContentTypeDesign) -> Markup:
    parts = []
    for name, ours in component_bodies_of(editor.design, content_type).items():
        theirs = editor.space_components.get(name)
        found = differences(ours, theirs) if theirs is not None else ()
        rows = [(each.place, _side(each.ours), _side(each.theirs)) for each in found]
        said = f"`{name}` is in the space as this design wants it."
        if theirs is None:
            said = f"`{name}` is new: the space has no component of this name."
        same = sheet(note(said, "good"))
        parts.append(_made("differences", name=name, changes=rows) if rows else same)
    return joined(parts)


def _side(value: Json) -> Markup:
    if value is None:
        return _made("missing", text="not there")
    return _made("long", text=value if isinstance(value, str) else _text(value))


def _json(body: JsonObject) -> Markup:
    return _made("json", content=source(_text(body)))


def _text(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return text if len(text) <= _MOST else f"{text[:_MOST]}\n…"
