"""What faithful conversion does otherwise than the official converter, and why.

Each deviation is there because the official loses or damages content. With one
switched off the official's behaviour comes back for what it names; where none
applies, a faithful document is the official one, byte for byte. Whatever is
lost either way is listed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from cmsmig.richtext.deviation import ALL as ALL
from cmsmig.richtext.deviation import Deviation as Deviation
from cmsmig.richtext.engine import NO_EMBED_CHOICES
from cmsmig.richtext.parity import predicates
from cmsmig.richtext.parity.predicates import Predicate, Source
from cmsmig.richtext.policy import EmbedPolicy
from cmsmig.richtext.prepare.unclosed_embeds import read_body


class Touch(StrEnum):
    """What a deviation may make otherwise in a document; nothing else differs."""

    PICTURES = "pictures"
    """Image nodes, and the figure blocks in their place."""
    CAPTIONS = "captions"
    """Where the texts of captions stand: in a block, not in paragraphs."""
    BLOCKS = "blocks"
    """`blok` nodes, and the texts that are in their raw HTML now."""
    STRUCTURE = "structure"
    """Where paragraphs, headings, lists, items, quotes, code and tables begin and end.
    A text in code has no marks, and its line breaks are characters; elsewhere it has
    both."""
    EMPTY = "empty"
    """Paragraphs and headings without any content."""
    SPACERS = "spacers"
    """Paragraphs and headings with content of which nothing is to be seen."""
    LINES = "lines"
    """Line breaks first or last in a paragraph, where line breaks are kept: none
    comes of one between blocks."""
    BLANKS = "blanks"
    """Blanks at the edges of texts."""
    ORDER = "order"
    """In which order the texts stand."""
    ANCHORS = "anchors"
    """Anchor marks; a text may be cut in words for them."""
    LINKS = "links"
    """Link marks: which texts have one, and what it says."""
    CODE = "code"
    """Code marks."""
    STYLES = "styles"
    """Marks of looks: bold, colours, classes and the like."""
    ATTRIBUTES = "attributes"
    """Attributes of nodes."""
    EVERYTHING = "everything"


@dataclass(frozen=True, slots=True)
class DeviationRule:
    """One deviation: where it applies, why it is there, what it may touch."""

    name: Deviation
    official: str
    """What the official converter does, and what is lost or damaged by that."""
    instead: str
    """What faithful conversion does."""
    applies: Predicate
    touches: frozenset[Touch]


_AROUND_BLOCKS = (Touch.STRUCTURE, Touch.EMPTY, Touch.BLANKS)

DEVIATIONS: tuple[DeviationRule, ...] = (
    DeviationRule(
        Deviation.FIGURE,
        "An image, and the caption as an ordinary paragraph: nothing says any more "
        "that it is a caption, or of what. Alignment and size are gone.",
        "A figure component: image, caption as rich text, link, alignment, size.",
        predicates.figure,
        # A caption goes before the spacers between it and its picture.
        frozenset((Touch.PICTURES, Touch.CAPTIONS, *_AROUND_BLOCKS, Touch.LINKS))
        | {Touch.SPACERS},
    ),
    DeviationRule(
        Deviation.LINKED_IMAGE,
        "An image without its link, since images carry no marks: what readers "
        "clicked leads nowhere.",
        "A figure component with the link.",
        predicates.linked_image,
        frozenset((Touch.PICTURES,)),
    ),
    DeviationRule(
        Deviation.IMAGE_SOURCE,
        "A picture that is given as data, or whose address a script would fill in "
        "from `data-src`, is left out.",
        "An image with that address.",
        predicates.image_source,
        frozenset((Touch.PICTURES, *_AROUND_BLOCKS)),
    ),
    DeviationRule(
        Deviation.RESERVED_ALT,
        "The origin's marks for `as the asset says` and `decorative` become the "
        "alternative text that screen readers read out.",
        "The asset's own alternative text, or an empty one.",
        predicates.reserved_alt,
        frozenset((Touch.PICTURES,)),
    ),
    DeviationRule(
        Deviation.VIDEO,
        "Frames and players are left out without a trace.",
        "An embed component with the addresses of page and frame, title, caption and "
        "shape, or what the embed choices say.",
        predicates.video,
        frozenset((Touch.BLOCKS, Touch.CAPTIONS, *_AROUND_BLOCKS)),
    ),
    DeviationRule(
        Deviation.EMBED,
        "Scripts and styles of a custom embed are cut out, its inner texts and "
        "pictures run into the body; drawings and plug-ins leave their texts or "
        "nothing.",
        "A raw HTML component with the code as it was typed, or what the embed "
        "choices say.",
        predicates.embed,
        frozenset((Touch.BLOCKS, *_AROUND_BLOCKS)),
    ),
    DeviationRule(
        Deviation.COMPONENT,
        "The properties of a component instance are left out, its slots run into "
        "the body.",
        "A raw HTML component, or what the embed choices say.",
        predicates.component,
        frozenset((Touch.BLOCKS, *_AROUND_BLOCKS)),
    ),
    DeviationRule(
        Deviation.BLOK,
        "A `div` with `data-blok` becomes a block without content: everything in it "
        "is left out.",
        "The content of the `div`.",
        predicates.blok,
        frozenset((Touch.BLOCKS, *_AROUND_BLOCKS)),
    ),
    DeviationRule(
        Deviation.ANCHOR,
        "Ids of anything but a span are left out, so links within the page lead to "
        "its top.",
        "An anchor mark on the text that follows; of several ids each has a word.",
        predicates.anchor,
        frozenset((Touch.ANCHORS, Touch.PICTURES)),
    ),
    DeviationRule(
        Deviation.BLOCKS_INSIDE,
        "A block in a paragraph leaves an empty one before it, and what follows in "
        "a heading is no heading; a block that begins an item ends its list, and the "
        "numbers begin again as dots; a block in code ends it.",
        "The block stands where it stood; item, list, heading and code go on. A "
        "paragraph in a heading is the heading, and one in code a line of it.",
        predicates.blocks_inside,
        frozenset((*_AROUND_BLOCKS, Touch.LINES)),
    ),
    DeviationRule(
        Deviation.BLOCKS_APART,
        "Texts of elements that browsers show as blocks, such as `summary`, `dt`, "
        "`main` or `option`, run together into one word.",
        "A paragraph each.",
        predicates.blocks_apart,
        frozenset((*_AROUND_BLOCKS, Touch.LINES)),
    ),
    DeviationRule(
        Deviation.BLANKS,
        "A text after a block keeps the blank of the source's line break, which "
        "shows as an indented paragraph.",
        "No blank at the beginning of a paragraph.",
        predicates.blanks,
        frozenset((Touch.BLANKS, Touch.EMPTY)),
    ),
    DeviationRule(
        Deviation.SPACER,
        "Paragraphs of an invisible character, which editors put in for distance, "
        "stay as content that nobody can see, search or select.",
        "They are left out, and listed.",
        predicates.spacer,
        # A name that waits for a text goes to one that is seen.
        frozenset((Touch.EMPTY, Touch.SPACERS, Touch.BLANKS, Touch.ANCHORS)),
    ),
    DeviationRule(
        Deviation.LIST_BLANKS,
        "Whatever stands between items becomes an item, a blank as well, and so does "
        "a list without any: bullets of nothing, and numbers that count them.",
        "What shows nothing in a list, outside of its items, is left out and listed.",
        predicates.list_blanks,
        frozenset((*_AROUND_BLOCKS, Touch.SPACERS, Touch.LINES, Touch.ANCHORS)),
    ),
    DeviationRule(
        Deviation.VALUES,
        "Attributes that look like numbers or booleans become such: an alternative "
        "text `007` is 7, long numbers are rounded, a level `abc` is no level. "
        "Documents are invalid then.",
        "Texts stay texts, and what must be a number is one.",
        predicates.values,
        frozenset((Touch.ATTRIBUTES, Touch.PICTURES, Touch.LINKS)),
    ),
    DeviationRule(
        Deviation.MAIL_LINK,
        "A mail address becomes the address of a page, which editors can't edit as "
        "a mail link.",
        "A link of the type `email`.",
        predicates.mail_link,
        frozenset((Touch.LINKS,)),
    ),
    DeviationRule(
        Deviation.LINK_ATTRIBUTES,
        "Everything on a link goes along, code that runs on a click and the origin's "
        "classes and styles too.",
        "Neither is kept; both are listed.",
        predicates.link_attributes,
        frozenset((Touch.LINKS,)),
    ),
    DeviationRule(
        Deviation.EMPTY_ID,
        "The origin writes an empty id on most links, and it goes along: pages show "
        '`id=""`, which HTML does not allow, and no link leads to it.',
        "The link has no id.",
        predicates.empty_id,
        frozenset((Touch.LINKS,)),
    ),
    DeviationRule(
        Deviation.LINK_TARGET,
        "A target goes along whatever it is: `_new`, or an address by mistake. Editors "
        "can't choose it, and links of one such name share one window.",
        "`_blank` for every name but the four that browsers know; the name is listed.",
        predicates.link_target,
        frozenset((Touch.LINKS, Touch.PICTURES)),
    ),
    DeviationRule(
        Deviation.CODE_IN_LINK,
        "A text can't be code and a link at once, and the link is left out.",
        "The link stands, and the lost code is listed.",
        predicates.code_in_link,
        frozenset((Touch.LINKS, Touch.CODE, Touch.STYLES, Touch.ANCHORS)),
    ),
    DeviationRule(
        Deviation.SPAN,
        "A span with an id loses its class.",
        "Both are kept.",
        predicates.span,
        frozenset((Touch.STYLES,)),
    ),
    DeviationRule(
        Deviation.TABLE_PARTS,
        "A table's caption becomes a row of the table, and a foot that is written "
        "above the rows stays there: pages show neither so.",
        "The caption is a paragraph before the table, the foot its last rows.",
        predicates.table_parts,
        frozenset((*_AROUND_BLOCKS, Touch.ORDER, Touch.ANCHORS)),
    ),
    DeviationRule(
        Deviation.NESTING,
        "Any depth is written out, up to some thousand levels, which end it with an "
        "error; services and readers of JSON refuse a hundred.",
        "Sixteen levels of lists, quotes and tables; deeper content stands without "
        "its level.",
        predicates.nesting,
        frozenset((Touch.STRUCTURE, Touch.EMPTY, Touch.BLANKS, Touch.CODE))
        | {Touch.ATTRIBUTES},
    ),
    DeviationRule(
        Deviation.MARKUP,
        "Its parser reads malformed markup in a way of its own: a script or a comment "
        "may swallow the rest of a document, markup shows as text, marks end early, "
        "words join, U+0000 stays, broken references end addresses.",
        "Read as browsers read it, but nothing moves and nothing is cut.",
        predicates.markup,
        frozenset((Touch.EVERYTHING,)),
    ),
)
"""In the order in which the README lists them."""


def deviations_in(
    html: str, policy: EmbedPolicy = NO_EMBED_CHOICES
) -> tuple[Deviation, ...]:
    """Return the deviations that apply to a body, in the order of the table.

    Those that a policy turns into the official's behaviour are not among them.
    Linear in the body's size, but for long chains of nested elements.
    """
    source = Source(read_body(html, policy.unclosed).html)
    return tuple(
        rule.name
        for rule in DEVIATIONS
        if rule.applies(source)
        and not (rule.name in _CHOSEN and not policy.keeps(str(rule.name)))
    )


_CHOSEN = frozenset((Deviation.FIGURE, Deviation.LINKED_IMAGE))
