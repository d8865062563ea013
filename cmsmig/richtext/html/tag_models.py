"""What the official converter's HTML parser knows of elements.

Facts about happy-dom, which @tiptap/html parses with. Every other element may
stand anywhere and hold anything.
"""

from __future__ import annotations

from cmsmig.richtext.html.dom import tag_set

EMPTY = tag_set("area base br col embed hr img input link meta param source track wbr")
"""Closed as soon as they are opened."""
CHARACTERS = frozenset(("script", "style"))
"""Hold characters, not markup."""
CLOSES_SAME_PARENT = tag_set("h1 h2 h3 h4 h5 h6 li optgroup")
"""Close an element of their own name if it is the one they would stand in."""

_CELL_FORBIDS = tag_set("td th tr tbody tfoot thead")
_TERM_FORBIDS = tag_set("dt dd")
_RUBY_FORBIDS = tag_set("rp rt")
FORBIDDEN: dict[str, frozenset[str]] = {
    "caption": tag_set("table tbody thead tfoot tr td th col colgroup"),
    "dd": _TERM_FORBIDS,
    "dt": _TERM_FORBIDS,
    "option": tag_set("option optgroup"),
    "p": tag_set(
        "address article aside blockquote details dialog div dl fieldset figcaption "
        "figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr main menu nav ol p pre "
        "section table ul"
    ),
    "rp": _RUBY_FORBIDS,
    "rt": _RUBY_FORBIDS,
    "td": _CELL_FORBIDS,
    "th": _CELL_FORBIDS,
}
"""By element: what closes it by beginning directly in it."""

_ROWS_ONLY = frozenset(("tr",))
PERMITTED: dict[str, frozenset[str]] = {
    "colgroup": frozenset(("col",)),
    "table": tag_set("caption colgroup thead tfoot tbody"),
    "tbody": _ROWS_ONLY,
    "tfoot": _ROWS_ONLY,
    "thead": _ROWS_ONLY,
    "tr": frozenset(("td", "th")),
}
"""By element: all that may begin directly in it."""

_TABLE_PARTS = tag_set("caption colgroup thead tfoot tbody")
STAYS: dict[str, frozenset[str]] = {
    "table": frozenset(),
    "tbody": _TABLE_PARTS,
    "tfoot": _TABLE_PARTS,
    "thead": _TABLE_PARTS,
    "tr": _TABLE_PARTS | _ROWS_ONLY,
}
"""By element: what is not moved out before the table though not permitted."""

_TABLE = frozenset(("table",))
PARENTS: dict[str, frozenset[str]] = {
    "caption": _TABLE,
    "col": frozenset(("colgroup",)),
    "tbody": _TABLE,
    "td": _ROWS_ONLY,
    "tfoot": _TABLE,
    "th": _ROWS_ONLY,
    "thead": _TABLE,
    "tr": tag_set("tbody tfoot thead"),
}
"""By element: the only parents it may have. A row in a table gets a `tbody`."""

SPECIAL_PARENTS = frozenset(FORBIDDEN) | frozenset(PERMITTED)
SPECIAL_CHILDREN = frozenset(PARENTS) | CLOSES_SAME_PARENT | {"a"}

_DRAWN = """
svg animate animateMotion animateTransform circle clipPath defs desc ellipse
feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix
feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood feFuncA
feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology
feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence filter
foreignObject g image line linearGradient marker mask metadata mpath path
pattern polygon polyline radialGradient rect script set stop style switch symbol
text textPath title tspan use view
"""
SVG_NAMES: dict[str, str] = {name.lower(): name for name in _DRAWN.split()}
"""Elements of drawings by lower case name: others keep the case they have."""
