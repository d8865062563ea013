"""Elements that stand as blocks of their own."""

from __future__ import annotations

from cmsmig.richtext.html.dom import tag_set

BLOCK_TAGS = tag_set(
    "address article aside blockquote canvas dd div dl fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr li noscript ol output p pre "
    "section svg:body table tfoot ul"
)
"""Elements that end the paragraph before and after them."""
MORE_BLOCK_TAGS = BLOCK_TAGS | tag_set(
    "body caption center details dialog dir dt legend main menu nav search summary "
    "tbody thead td th tr optgroup option"
)
"""The same for faithful conversion: what a browser shows as a block."""
