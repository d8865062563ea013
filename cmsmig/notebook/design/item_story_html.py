"""What is shown of an item that becomes a story, as safe HTML."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import groupby

from markupsafe import Markup

from cmsmig.canonical import Json, JsonObject
from cmsmig.counting import counted
from cmsmig.mapping.convert.item_draft import StoryDraft
from cmsmig.mapping.decisions.design import ContentTypeDesign
from cmsmig.mapping.propose.component_payloads import component_bodies
from cmsmig.origin.schema import Item
from cmsmig.reconcile.rules.story_fields import story_to_create, wanted_fields
from cmsmig.review.design_edits import DesignEditor
from cmsmig.review.item_story import (
    FormField,
    components_of,
    differences,
    form_fields,
)
from cmsmig.richtext.render import render_rich_text
from cmsmig.survey.value_facts import file_name
from cmsmig.ui.controls import button, select, words
from cmsmig.ui.html.html_templates import fragment
from cmsmig.ui.html.safe_html import (
    escape,
    joined,
    note,
    paragraph,
    preview,
    sheet,
    source,
    stacked,
)
from cmsmig.ui.view import View

VIEWS: Mapping[str, str] = {
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


def panel_html(**parts: Markup) -> Markup:
    """Return the panel."""
    return _made("panel", **parts)


def chooser_html(items: Sequence[Item], found: Sequence[int], at: int) -> Markup:
    """Return the drop-down of the items around the one on show."""
    if not found:
        return select("story-item", "Item", [("no such item", "")], "")
    start = found.index(at) // _LISTED * _LISTED if at in found else 0
    options = [
        (f"{number}. {items[each].name or items[each].slug}", str(each))
        for number, each in enumerate(found[start : start + _LISTED], start=start + 1)
    ]
    return select("story-item", "Item", options, str(at))


def steps_html(view: View, found: Sequence[int], at: int) -> Markup:
    """Return the ways to other items, and where this one stands among them."""
    place = found.index(at) + 1 if at in found else 0
    return joined(
        (
            view.act("previous"),
            view.act("next"),
            words(f"{place:,} of {len(found):,}" if place else "no such item"),
        )
    )


def views_html(chosen: str) -> Markup:
    """Return the buttons that choose what is shown of the item."""
    return joined(
        button("story-view", title, row=view, key=str(number), main=view == chosen)
        for number, (view, title) in enumerate(VIEWS.items(), start=1)
    )


def item_html(editor: DesignEditor, place: int, item: Item | None, view: str) -> Markup:
    """Return an item as the design makes it now, looked at in one way."""
    content_type = editor.content_types[place]
    if view == "component":
        return _components(editor, content_type)
    if view == "difference":
        return _differences(editor, content_type)
    if view == "components":
        return _all_components(editor)
    if item is None:
        return sheet(note("No item of this collection is migrated."))
    story = editor.story(place, item)
    if isinstance(story, str):
        return sheet(note(story, "bad"))
    if view == "story":
        fields = wanted_fields(story, story.content)
        body = story_to_create(fields, parent_id=None)
        told = "Relations stay empty until all stories exist; files get their address."
        return joined((sheet(paragraph(told)), _json(body)))
    return _form(editor, content_type, story)


def _form(
    editor: DesignEditor, content_type: ContentTypeDesign, story: StoryDraft
) -> Markup:
    fields = form_fields(story, content_type, editor.item_names())
    groups = [
        (section, [(each, _value(each)) for each in listed])
        for section, listed in groupby(fields, key=lambda each: each.section)
    ]
    return _made("form", name=story.name, slug=story.place.slug, groups=groups)


def _value(field: FormField) -> Markup:
    if field.stories:
        return stacked(field.stories)
    return _shown(field.value, field.label)


def _shown(value: Json, title: str) -> Markup:
    """Return a value of a story as an editor sees it."""
    if value is None or value in ("", [], {}):
        return _made("missing", text="empty")
    if isinstance(value, bool):
        return escape("yes" if value else "no")
    if isinstance(value, list):
        return stacked([_shown(each, title) for each in value])
    if isinstance(value, dict):
        return _object(value, title)
    return _made("long", text=str(value)[:_MOST])


def _object(value: JsonObject, title: str) -> Markup:
    if value.get("type") == "doc":
        return preview(render_rich_text(value), title=title, height=180)
    filename = value.get("filename")
    if isinstance(filename, str):
        alt = value.get("alt")
        told = f" — “{alt}”" if isinstance(alt, str) and alt.strip() else ""
        return escape(f"{file_name(filename)}{told}" if filename else "empty")
    for name in ("cached_url", "url", "color"):
        if isinstance(found := value.get(name), str) and found:
            return escape(found)
    if "component" in value:
        inside = [
            joined((escape(f"{key}: "), _shown(each, title)))
            for key, each in value.items()
            if key not in ("_uid", "component")
        ]
        return stacked([escape(f"block {value['component']}"), *inside])
    return _made("long", text=_text(value))


def _components(editor: DesignEditor, content_type: ContentTypeDesign) -> Markup:
    made = components_of(editor.design, content_type)
    return joined(_json(body) for body in made.values())


def _all_components(editor: DesignEditor) -> Markup:
    """Return every component of the design, folded: its form and its JSON."""
    return joined(
        _component(each.name, each.body) for each in component_bodies(editor.design)
    )


def _component(name: str, body: JsonObject) -> Markup:
    schema = body.get("schema")
    fields = [
        (field.get("display_name") or key, key, field.get("type"))
        for key, field in (schema if isinstance(schema, dict) else {}).items()
        if isinstance(field, dict)
    ]
    count = counted(len(fields), "field")
    json_html = _json(body)
    return _made("component", name=name, count=count, schema=fields, content=json_html)


def _differences(editor: DesignEditor, content_type: ContentTypeDesign) -> Markup:
    parts = []
    for name, ours in components_of(editor.design, content_type).items():
        theirs = editor.component_in_space(name)
        if theirs is None:
            told = f"`{name}` is new: the space has no component of this name."
            parts.append(sheet(note(told, "good")))
            continue
        found = differences(ours, theirs)
        if not found:
            told = f"`{name}` is in the space as this design wants it."
            parts.append(sheet(note(told, "good")))
            continue
        rows = [(each.place, _side(each.ours), _side(each.theirs)) for each in found]
        parts.append(_made("differences", name=name, changes=rows))
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
