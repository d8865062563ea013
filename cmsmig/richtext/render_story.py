"""Values of a story to HTML, its blocks too, as a plain front end shows them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Final

from cmsmig.richtext.policy import EmbedPolicy
from cmsmig.richtext.render import render_rich_text

_OWN: Final = ("component", "_uid", "_editable")
_BODIES: Final = (
    {*("url", "kind", "title", "caption", "html"), *EmbedPolicy().embed_fields},
    {"image", "caption", "link", "alignment", "size"},
    {"code", "language"},
)
"""Fields of the blocks that bodies are converted to: what is text there and not in
`_TEXTS` is settings."""
_TEXTS: Final = ("caption", "code")


def render_value(value: object) -> str:
    """Return the HTML of a document, of blocks, of an asset or of a text."""
    if isinstance(value, list):
        return "".join(map(render_value, value))
    if not isinstance(value, Mapping):
        is_setting = value is None or isinstance(value, bool)
        return "" if is_setting or value == "" else f"<p>{escape(str(value))}</p>"
    if "component" in value:
        return f"<div>{''.join(_rendered(value))}</div>"
    if value.get("type") == "doc":
        return render_rich_text(value, block=render_value)
    if value.get("fieldtype") == "asset" and value.get("filename"):
        return f'<img src="{_text(value, "filename")}" alt="{_text(value, "alt")}">'
    return ""


def _rendered(block: Mapping[str, object]) -> Iterator[str]:
    """Yield what each field of a block shows; its pictures lead where it links to."""
    fields = {name: held for name, held in block.items() if name not in _OWN}
    is_ours = any(fields.keys() <= known for known in _BODIES)
    address = _address(fields.get("link"))
    for name, held in fields.items():
        if name == "html" and is_ours:
            yield str(held)
        elif isinstance(held, list | Mapping):
            shown = render_value(held)
            is_led = address and isinstance(held, Mapping) and "filename" in held
            yield f'<a href="{escape(address)}">{shown}</a>' if is_led else shown
        elif name in _TEXTS or not is_ours:
            yield render_value(held)


def _address(link: object) -> str:
    """Return where a multilink leads; empty for anything else."""
    if not isinstance(link, Mapping):
        return ""
    anchor = f"#{link['anchor']}" if link.get("anchor") else ""
    if link.get("linktype") == "story":
        return f"/{link.get('cached_url')}{anchor}"
    given = link.get("email") or link.get("url") or link.get("cached_url") or ""
    return f"{given}{anchor}"


def _text(value: Mapping[str, object], name: str) -> str:
    return escape(str(value.get(name) or ""))
