"""HTML pages with forms that post JSON to the routes of the control pages."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping
from html import escape

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.http.asgi import Reply

_SCRIPT = """
for (const form of document.forms) {
  const fields = [...form.elements].filter(each => each.name);
  const was = new Map(fields.map(each => [each, each.value]));
  form.addEventListener("submit", async event => {
    event.preventDefault();
    try {
      const sent = JSON.parse(form.dataset.sent), values = {};
      for (const each of fields) {
        if (each.value === was.get(each)) continue;
        const text = each.value;
        values[each.name] =
          !text ? null : each.dataset.json ? JSON.parse(text) : text;
      }
      if (form.dataset.under) sent[form.dataset.under] = values;
      const answer = await fetch(form.action, {
        method: "POST",
        headers: {"Content-Type": "application/json"},
        body: JSON.stringify(sent),
      });
      if (!answer.ok) throw new Error(await answer.text());
      location.assign(form.dataset.then || location.href);
    } catch (error) {
      form.querySelector("output").textContent = error.message;
    }
  });
}
"""
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; }
label, textarea, input, select { display: block; width: 100%; box-sizing: border-box; }
label { margin: .75rem 0; } textarea { min-height: 4rem; }
form:not(:has(label)) { display: inline; } output { color: #b00020; }
td, th { text-align: left; padding: .2rem 1rem .2rem 0; overflow-wrap: anywhere; }
"""
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{title}</title><style>{style}</style></head>
<body>
<nav><a href="/_sandbox/">{root}</a></nav>
<h1>{title}</h1>
{body}
<script>{script}</script>
</body>
</html>
"""


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


_POLICY = (
    f"default-src 'none'; script-src 'sha256-{_digest(_SCRIPT)}'; "
    f"style-src 'sha256-{_digest(_STYLE)}'; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'"
)


def page(root: str, title: str, parts: Iterable[str]) -> Reply:
    """Return a page; `root` names the first one, to which each leads back."""
    text = _PAGE.format(
        root=escape(root),
        title=escape(title),
        body="\n".join(parts),
        style=_STYLE,
        script=_SCRIPT,
    )
    headers = (("Content-Security-Policy", _POLICY),)
    data = text.encode("utf-8", "replace")
    return Reply(200, data, "text/html; charset=utf-8", headers)


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table; the cells are HTML already."""
    lines = ["".join(f"<th>{escape(head)}</th>" for head in heads)]
    lines += ["".join(f"<td>{cell}</td>" for cell in row) for row in rows]
    return "<table>" + "\n".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def link(address: str, text: str) -> str:
    """Return a link."""
    return f'<a href="{escape(address)}">{escape(text)}</a>'


def form(
    verb: str,
    label: str,
    sent: JsonObject,
    *,
    under: str = "",
    fields: Iterable[str] = (),
    then: str = "",
) -> str:
    """Return a form that posts `sent` to a route, with the fields that were changed as
    an object at the key `under`; `then` is the page to go on to, else the same."""
    return (
        f'<form action="/_sandbox/{verb}" autocomplete="off" '
        f'data-sent="{escape(json.dumps(sent))}" data-under="{under}" '
        f'data-then="{escape(then)}">{"".join(fields)}'
        f"<button>{escape(label)}</button> <output></output></form>"
    )


def text_field(name: str, label: str, value: Json, *, long: bool = False) -> str:
    """Return a field whose text is the value."""
    text = escape(value if isinstance(value, str) else "")
    named = f'name="{escape(name)}"'
    if long:
        # The first line break is not part of the text.
        return _labelled(label, f"<textarea {named}>\n{text}</textarea>")
    return _labelled(label, f'<input {named} value="{text}">')


def json_field(name: str, label: str, value: Json) -> str:
    """Return a field that takes the value as JSON."""
    text = "" if value is None else json.dumps(value, ensure_ascii=False)
    named = f'name="{escape(name)}" data-json="1"'
    area = f"<textarea {named}>\n{escape(text)}</textarea>"
    return _labelled(f"{label} (JSON)", area)


def choice_field(name: str, label: str, value: Json, options: Mapping[str, str]) -> str:
    """Return a field with a list of values and their names; the empty one is none."""
    rows = "".join(
        f'<option value="{escape(key)}"{" selected" if key == value else ""}>'
        f"{escape(text)}</option>"
        for key, text in {"": "none", **options}.items()
    )
    return _labelled(label, f'<select name="{escape(name)}">{rows}</select>')


def _labelled(label: str, field: str) -> str:
    return f"<label>{escape(label)}{field}</label>"
