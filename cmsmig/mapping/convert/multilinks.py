"""Link fields as multilink values; VideoLink fields as these, as embed blocks or as
texts.

Source: destination, multilink value. Links into the old site stay addresses
here and become `linktype` story in phase two. Source: origin, VideoLink: an object
with `url` and `metadata`, or an address.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from cmsmig.canonical import Json, JsonObject, text_of
from cmsmig.data_address import is_data
from cmsmig.mapping.convert.field_context import Encoded, FieldUse, as_text, is_unfilled
from cmsmig.mapping.convert.file_addresses import is_file
from cmsmig.mapping.value_checks import check_link
from cmsmig.richtext.html.dom import find
from cmsmig.richtext.html.parse import parse
from cmsmig.richtext.losses import Loss, Severity
from cmsmig.richtext.prepare.embeds import clean_address, frame_address

_MAILTO = re.compile(r"\s*+mailto:([^?\s]++)\s*+", re.IGNORECASE)


def empty_link() -> JsonObject:
    """Return the value of a link field that was never filled."""
    return _link("story")


def encode_link(value: Json, use: FieldUse) -> Encoded:
    """Encode a Link: an address, an email address or an uploaded file."""
    if is_unfilled(value):
        return Encoded(empty_link())
    address, losses = address_in(value, use)
    link, more = link_value(address, use)
    found = not more and check_link(address, use.validations)
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
    if is_data(address):
        return empty_link(), losses
    return _link("url", url=address, cached_url=address), losses


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


def address_in(value: Json, use: FieldUse) -> tuple[str, tuple[Loss, ...]]:
    """Return the address of a link, object or text, and what it lost."""
    url = value.get("url") if isinstance(value, dict) else value
    if isinstance(url, str):
        return url, ()
    why = "A link is a text here; this value is carried as JSON text."
    return as_text(value), (use.loss("wrong-type", value, why, Severity.MEANING),)


_IN_FRAME = frozenset(("html", "width", "height"))
_FIELDS = {"title": "title", "thumbnail": "thumbnail_url", "author": "author_name"}
"""By the field of an embed block, the metadata that it holds as it is."""
_SAYS_NOTHING = frozenset(
    (
        *("type", "version", "aspectRatio", "cache_age"),
        *("provider_name", "provider_url", "thumbnail_width", "thumbnail_height"),
    )
)
"""Metadata that the address says as well, or that is about the metadata."""
_KNOWN = _IN_FRAME | _SAYS_NOTHING | {*_FIELDS.values()}
_SEVERITIES = {"shape": Severity.LAYOUT}


def encode_video_link(value: Json, use: FieldUse) -> Encoded:
    """Encode a VideoLink, object or text, as a multilink."""
    if _is_no_video(value):
        return Encoded(empty_link())
    address, losses = address_in(value, use)
    link, more = link_value(address, use)
    return Encoded(link, (*losses, *more, *_without_a_block(value, use)))


def encode_video_text(value: Json, use: FieldUse) -> Encoded:
    """Encode a VideoLink as the text of its address."""
    if _is_no_video(value):
        return Encoded("")
    address, losses = address_in(value, use)
    new, more = _rewritten(address, use)
    return Encoded(new, (*losses, *more, *_without_a_block(value, use)))


def encode_video_block(value: Json, use: FieldUse) -> Encoded:
    """Encode a VideoLink as one embed block in a list, with what the origin knows of
    the video; what the design has no field for is a loss."""
    if _is_no_video(value):
        return Encoded([])
    address, losses = address_in(value, use)
    new, more = _rewritten(address, use)
    metadata, embeds = _metadata(value), use.context.embeds
    described = _described(metadata)
    later = {name: described[name] for name in described if name in embeds.embed_fields}
    block: JsonObject = {
        "_uid": use.uid("video"),
        "component": embeds.embed_component,
        "url": clean_address(new),
        "kind": "video",
        "title": described["title"],
        "caption": "",
        "html": text_of(metadata.get("html")),
        **later,
    }
    left = {name: text for name, text in described.items() if name not in block}
    why = "The embed block of the design has no field `{0}`: add one to keep it."
    return Encoded(
        [block], (*losses, *more, *_losses(left, why, use), *_unknown(metadata, use))
    )


def _is_no_video(value: Json) -> bool:
    if isinstance(value, dict):
        return all(is_unfilled(each) or each == {} for each in value.values())
    return is_unfilled(value)


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


def _described(metadata: JsonObject) -> dict[str, str]:
    """Return what is known of a video by the field of an embed block; empty texts
    for what is not."""
    return {
        "frame": _frame_in(text_of(metadata.get("html"))),
        "shape": _shape(metadata),
        **{field: text_of(metadata.get(name)) for field, name in _FIELDS.items()},
    }


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


def _without_a_block(value: Json, use: FieldUse) -> Iterator[Loss]:
    metadata = _metadata(value)
    why = "The video's {0} has no place here; the encoding `video_block` keeps it."
    yield from _losses(_described(metadata), why, use)
    yield from _unknown(metadata, use)


def _losses(left: Mapping[str, str], why: str, use: FieldUse) -> Iterator[Loss]:
    for name, text in left.items():
        if text:
            severity = _SEVERITIES.get(name, Severity.MEANING)
            yield use.loss(f"video-{name}", text, why.format(name), severity)


def _unknown(metadata: JsonObject, use: FieldUse) -> Iterable[Loss]:
    """List the metadata that no embed block has a field for."""
    why = "No field of an embed block takes this about the video."
    for name in sorted(metadata.keys() - _KNOWN):
        value = metadata[name]
        if not is_unfilled(value) and value not in (0, [], {}):
            what = f"{name}: {as_text(value)}"
            yield use.loss("video-data", what, why, Severity.MEANING)
