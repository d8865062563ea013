"""Steps of cases about the visual editor: what it saves, and what counts as an edit."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from unittest import mock

import httpx

from cmsmig.canonical import Json, fingerprint
from tests.support.steps.scenario.looks import within

if TYPE_CHECKING:
    from tests.support.steps.scenario.play import Scenario

TYPES = (
    *("text", "textarea", "markdown", "number", "datetime", "boolean", "option"),
    *("options", "multiasset", "bloks", "asset", "multilink", "richtext", "table"),
)
"""Types of the fields that a developer adds to our components."""


def develop_components(scenario: Scenario) -> None:
    """Add a field of each type to all components."""
    space = scenario.project.space
    space.plugins = frozenset({"picker"})
    space.unknowns = replace(space.unknowns, plugin_keys=("chosen",))
    added: dict[str, Any] = {f"dev_{kind}": {"type": kind} for kind in TYPES}
    added["dev_custom"] = {"type": "custom", "field_type": "picker"}
    for each in [*space.components.values()]:
        body = {"name": each["name"], "schema": {**each["schema"], **added}}
        scenario.project.api("PUT", f"/components/{each['id']}", {"component": body})


def editors_save(scenario: Scenario, path: str = "") -> None:
    """Open and save a story, or all, as the visual editor does."""
    stories = scenario.project.stories()
    base = scenario.project.rehearsal.handle.announcement["base_url"]
    url = f"{base.removesuffix('/v1')}/_sandbox/open-and-save"
    body = {"story_id": stories[path].story_id} if path else {}
    answer = httpx.post(url, json=body, trust_env=False).json()
    assert (len(answer["saved"]), answer["refused"]) == (
        1 if path else len(stories),
        [],
    )


def set_there(scenario: Scenario, changes: dict[str, dict[str, Any]]) -> None:
    """Save stories with values changed within their content: `text.content.+` is a new
    last entry."""
    for path, values in changes.items():
        content = copy.deepcopy(scenario.project.stories()[path].content)
        for where, value in values.items():
            above, _, last = where.rpartition(".")
            holder = within(content, above)
            if last == "+":
                holder.append(value)
            else:
                holder[int(last) if last.isdigit() else last] = value
        scenario.project.edit(path, **content)


def drop_there(scenario: Scenario, changes: dict[str, str]) -> None:
    """Save stories without a field of their content."""
    for path, name in changes.items():
        story = scenario.project.stories()[path]
        content = {key: each for key, each in story.content.items() if key != name}
        body = {"story": {"content": content}}
        scenario.project.api("PUT", f"/stories/{story.story_id}", body)


def edits_named(scenario: Scenario, expected: dict[str, str]) -> None:
    """Expect just these edits of stories, by path, in `changes`, and that a rollback
    would leave just these stories."""
    project = scenario.project
    found = project.done("changes", "--json").document
    paths = project.stories().keys()
    rows = [*found["origin"], *found["destination"]]
    named = {(e["what"], e.get("field")) for e in rows if e["what"] in paths}
    assert named == {(path, f"content.{field}") for path, field in expected.items()}
    plan = project.done("rollback", "--plan", "--json").document
    goes = {each["what"] for each in plan["objects"] if each["kind"] == "story"}
    assert paths - goes == expected.keys()


def verified_fields(scenario: Scenario, expected: dict[str, str]) -> None:
    """Expect that a verification finds just these fields of stories, by path."""
    found = scenario.project.run("verify", "--json").document
    assert found["public_unread"] == ""
    rows = scenario.project.rows("SELECT item_id, locale_id, full_slug FROM item")
    paths = {f"{item}@{locale}": path for item, locale, path in rows}
    fields = {
        (paths.get(each["subject"].rpartition("/")[2], each["text"]), each["where"])
        for each in found["differences"]
    }
    assert fields == {*expected.items()}


def fields_as_remembered(scenario: Scenario, fields: dict[str, str]) -> None:
    """Expect a field of each story, by path, as its content was remembered."""
    stories = scenario.project.stories()
    changed = [
        path
        for path, field in fields.items()
        if path in scenario.remembered
        and stories[path].content[field] != scenario.remembered[path][field]
    ]
    assert changed == []


def import_as_an_earlier_release(scenario: Scenario) -> None:
    """Import with the fingerprints of an earlier release."""
    with mock.patch("cmsmig.reconcile.rules.story_hashes.comparable", earlier_form):
        scenario.project.done("import")
    (scenario.project.folder / "derived.sqlite").unlink()
    rows = scenario.project.rows("SELECT full_slug, content_hash FROM home")
    stories = scenario.project.stories()
    assert rows
    for path, kept in rows:
        assert kept == fingerprint(earlier_form(stories[path].content))


def earlier_form(value: Json) -> Json:
    """Return content as an earlier release fingerprinted it."""
    if isinstance(value, list):
        return [earlier_form(each) for each in value]
    if not isinstance(value, dict):
        return value
    naming = {
        "asset": ("id", "filename"),
        "multilink": ("id", "url", "cached_url", "email", "anchor"),
    }.get(str(value.get("fieldtype")))
    if naming and all(value.get(name) in (None, "", []) for name in naming):
        return None
    is_story = (value.get("fieldtype"), value.get("linktype")) == ("multilink", "story")
    left_out = ("_editable", *(("cached_url", "url") if is_story else ()))
    formed = {name: earlier_form(value[name]) for name in value if name not in left_out}
    return {name: each for name, each in formed.items() if each not in (None, "", [])}


STEPS: dict[str, Callable[..., None]] = {
    "develop components": develop_components,
    "editors save": editors_save,
    "set there": set_there,
    "drop there": drop_there,
    "edits named": edits_named,
    "verified fields": verified_fields,
    "fields as remembered": fields_as_remembered,
    "import as an earlier release": import_as_an_earlier_release,
}
