"""Link fields and video links as multilink values.

Source: destination, multilink value. Links into the old site stay addresses
here and become `linktype` story in phase two.
"""

from __future__ import annotations

import re

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.convert.field_context import Encoded, FieldUse, as_text, is_unset
from cmsmig.mapping.convert.file_addresses import is_file
from cmsmig.mapping.convert.value_checks import problem
from cmsmig.richtext.html.dom import find
from cmsmig.richtext.html.parse import parse
from cmsmig.richtext.losses import Loss, Severity
from cmsmig.richtext.prepare.embed_signatures import clean_address, frame_address

_MAILTO = re.compile(r"\s*+mailto:([^?\s]++)\s*+", re.IGNORECASE)


def empty_link() -> JsonObject:
    """Return the value of a link field that was never filled."""
    return _link("story")


def encode_link(value: Json, use: FieldUse) -> Encoded:
    """Encode a Link: an address, an email address or an uploaded file."""
    if is_unset(value):
        return Encoded(empty_link())
    address, losses = _address(value, use)
    link, more = link_value(address, use)
    found = problem("Link", address, use.validations)
    if found and use.design.origin_type == "Link":
        more += (use.loss("validation", address, found, Severity.MEANING),)
    return Encoded(link, losses + more)


def link_value(address: str, use: FieldUse) -> tuple[JsonObject, tuple[Loss, ...]]:
    """Return the multilink that leads to `address`, and what it lost."""
    mail = _MAILTO.fullmatch(address)
    if mail and "@" in mail[1][1:-1]:
        return _link("email", email=mail[1]), ()
    new = use.file(address)
    if new is not None:
        return _link("asset", url=new, cached_url=new), ()
    losses = (use.missing_loss(address),) if use.missing(address) else ()
    return _link("url", url=address, cached_url=address), losses


def encode_video_link(value: Json, use: FieldUse) -> Encoded:
    """Encode a VideoLink, object or text, as a multilink."""
    if _is_no_video(value):
        return Encoded(empty_link())
    address, losses = _address(value, use)
    link, more = link_value(address, use)
    return Encoded(link, losses + more + _metadata_losses(value, use))


def encode_video_text(value: Json, use: FieldUse) -> Encoded:
    """Encode a VideoLink as the text of its address."""
    if _is_no_video(value):
        return Encoded("")
    address, losses = _address(value, use)
    new, more = _rewritten(address, use)
    return Encoded(new, losses + more + _metadata_losses(value, use))


def encode_video_block(value: Json, use: FieldUse) -> Encoded:
    """Encode a VideoLink as one embed block in a list; its title is kept, and where
    the design has fields for them, its frame's address and its shape."""
    if _is_no_video(value):
        return Encoded([])
    address, losses = _address(value, use)
    new, more = _rewritten(address, use)
    metadata, embeds = _metadata(value), use.context.embeds
    html = _text(metadata.get("html"))
    later = {"frame": _frame_in(html), "shape": _shape(metadata)}
    block: JsonObject = {
        "_uid": use.uid("video"),
        "component": embeds.embed_component,
        "url": clean_address(new),
        "kind": "video",
        "title": _text(metadata.get("title")),
        "caption": "",
        "html": html,
        **{name: later[name] for name in later if name in embeds.embed_fields},
    }
    return Encoded([block], losses + more)


def _link(
    linktype: str, *, url: str = "", cached_url: str = "", email: str = ""
) -> JsonObject:
    link: JsonObject = {
        "id": "",
        "url": url,
        "linktype": linktype,
        "fieldtype": "multilink",
        "cached_url": cached_url,
    }
    if email:
        link["email"] = email
    return link


def _address(value: Json, use: FieldUse) -> tuple[str, tuple[Loss, ...]]:
    if isinstance(value, str):
        return value, ()
    if isinstance(value, dict) and isinstance(value.get("url"), str):
        return _text(value["url"]), ()
    why = "A link is a text here; this value is carried as JSON text."
    return as_text(value), (use.loss("wrong-type", value, why, Severity.MEANING),)


def _is_no_video(value: Json) -> bool:
    if isinstance(value, dict):
        return all(is_unset(each) or each == {} for each in value.values())
    return is_unset(value)


def _rewritten(address: str, use: FieldUse) -> tuple[str, tuple[Loss, ...]]:
    new = use.file(address)
    if new is not None:
        return new, ()
    if is_file(address, use.context.file_hosts):
        return address, (use.missing_loss(address),)
    return address, ()


def _metadata(value: Json) -> JsonObject:
    metadata = value.get("metadata") if isinstance(value, dict) else None
    return metadata if isinstance(metadata, dict) else {}


def _frame_in(html: str) -> str:
    """Return the address of the first frame in a video's HTML, or empty."""
    frame = find(parse(html), "iframe")
    return "" if frame is None else clean_address(frame_address(frame))


def _shape(metadata: JsonObject) -> str:
    """Return a video's width to its height as `854:480`, or empty."""
    sides = [
        side
        for name in ("width", "height")
        if isinstance(side := metadata.get(name), int | float)
        and not isinstance(side, bool)
        and side > 0
    ]
    return f"{sides[0]}:{sides[1]}" if len(sides) == 2 else ""


def _metadata_losses(value: Json, use: FieldUse) -> tuple[Loss, ...]:
    title = _text(_metadata(value).get("title"))
    if not title:
        return ()
    why = "The video's title has no place in a link; an embed block would keep it."
    return (use.loss("video-title", title, why, Severity.MEANING),)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
