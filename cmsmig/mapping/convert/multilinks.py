"""Link fields as multilink values.

Source: destination, multilink value. Links into the old site stay addresses
here and become `linktype` story in phase two.
"""

from __future__ import annotations

import re

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.convert.field_context import Encoded, FieldUse, as_text, is_unset
from cmsmig.mapping.convert.value_checks import problem
from cmsmig.richtext.losses import Loss, Severity

_MAILTO = re.compile(r"\s*+mailto:([^?\s]++)\s*+", re.IGNORECASE)


def empty_link() -> JsonObject:
    """Return the value of a link field that was never filled."""
    return _link("story")


def encode_link(value: Json, use: FieldUse) -> Encoded:
    """Encode a Link: an address, an email address or an uploaded file."""
    if is_unset(value):
        return Encoded(empty_link())
    address, losses = address_in(value, use)
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
    if isinstance(value, str):
        return value, ()
    if isinstance(value, dict) and isinstance(value.get("url"), str):
        return _text(value["url"]), ()
    why = "A link is a text here; this value is carried as JSON text."
    return as_text(value), (use.loss("wrong-type", value, why, Severity.MEANING),)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
