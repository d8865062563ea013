"""Losses in words that an editor understands, with what to do about each."""

from __future__ import annotations

from collections.abc import Mapping

from cmsmig.richtext.losses import Loss, Severity
from cmsmig.ui.documents.finding_list import Finding

_LOOK = "Nothing, unless the new site is to look the same there."
_COPY = "Copy its code from the origin into the story by hand."
_EMBED = (
    "Nothing, if it is not wanted; else choose otherwise for embeds in notebook 03."
)
_TEXT = "Compare the story with the old page, and add what is missing by hand."
_VIDEO = "Choose `video_block` in notebook 02; in design.yaml, `embed` needs the field."
_WORDS: Mapping[str, tuple[str, str]] = {
    "anchor": ("Jump mark", "Let links to it lead to the page itself."),
    "component": ("Component left out", _EMBED),
    "description": ("Description", _TEXT),
    "dropped": ("Element left out", _TEXT),
    "embed": ("Embed left out", _EMBED),
    "empty-code": ("Empty code block", _COPY),
    "empty-embed": ("Empty embed", _COPY),
    "form-control": ("Form field", "Build the form in the new site."),
    "half-character": ("Half a character", "Write the emoji again in the story."),
    "hidden": ("Text that was hidden", "Delete it in the story if it is not to show."),
    "iframe": ("Frame left out", _EMBED),
    "image": ("Picture without an address", "Add the picture to the story by hand."),
    "instance": (
        "Component that is no block",
        "Nothing, if raw HTML will do; else correct the body at the origin.",
    ),
    "left-out-field": (
        "Field left out",
        "Nothing, if it is not wanted; else take it along in notebook 02.",
    ),
    "link": ("Link", "Correct the address at the origin, or link it in the story."),
    "linked-image": ("Link of a picture", "Put the link beside the picture."),
    "media": ("Video or sound left out", _EMBED),
    "missing-file": (
        "Missing file",
        "Open the address; when the file is there, pull again, else correct the item.",
    ),
    "property": (
        "Property of a component",
        "Nothing, if it is not wanted; else give it a field in notebook 03.",
    ),
    "reversed": ("List that counts down", "Write the numbers into the text."),
    "script": ("Script", "Nothing, unless the new site needs what it did."),
    "text": ("Text", _TEXT),
    "unclosed-embed": (
        "Embed that never ends",
        "Choose in notebook 03 where such embeds end.",
    ),
    "unmapped-field": (
        "Field without a place",
        "Give it a field in notebook 02, if it is wanted.",
    ),
    "video": ("Video left out", _EMBED),
    "video-author": ("Author of a video", _VIDEO),
    "video-frame": ("Frame address of a video", _VIDEO),
    "video-thumbnail": ("Thumbnail of a video", _VIDEO),
    "video-title": ("Title of a video", _VIDEO),
}
"""By the code of a loss: what it is called, and what to do about it."""


def loss_name(kind: str) -> str:
    """Return what a kind of loss is called, by its code."""
    return _WORDS[kind][0] if kind in _WORDS else kind.replace("-", " ").capitalize()


def loss_finding(loss: Loss, *, item: str, page: str, field: str) -> Finding:
    """Return a loss as a list shows it; `item` is a name, `page` a path."""
    if loss.severity is Severity.LAYOUT:
        todo = _LOOK
    else:
        _, todo = _WORDS.get(loss.kind, ("", _TEXT))
    return Finding(
        kind=loss_name(loss.kind),
        item=item,
        page=page,
        field=field,
        what=loss.what or loss.context,
        why=loss.why,
        todo=todo,
    )
