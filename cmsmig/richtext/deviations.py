"""What conversion does differently from the official converter, and why.

Each deviation is there because the official loses or damages content. A conversion
notes those that it met; where it notes none, its document is the official one, byte
for byte. Whatever is lost either way is listed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Deviation(StrEnum):
    """What is done differently; `DEVIATIONS` has the reasons."""

    FIGURE = "figure"
    LINKED_IMAGE = "linked-image"
    IMAGE_SOURCE = "image-source"
    RESERVED_ALT = "reserved-alt"
    VIDEO = "video"
    EMBED = "embed"
    COMPONENT = "component"
    BLOK = "blok"
    ANCHOR = "anchor"
    BLOCKS_INSIDE = "blocks-inside"
    BLOCKS_APART = "blocks-apart"
    BLANKS = "blanks"
    QUOTATION = "quotation"
    READING = "reading"
    DIRECTION = "direction"
    SPACER = "spacer"
    LIST_BLANKS = "list-blanks"
    LIST_NUMBERS = "list-numbers"
    VALUES = "values"
    MAIL_LINK = "mail-link"
    LINK_ATTRIBUTES = "link-attributes"
    EMPTY_ID = "empty-id"
    LINK_TARGET = "link-target"
    CODE_IN_LINK = "code-in-link"
    SPAN = "span"
    UNDONE_MARKS = "undone-marks"
    STYLE = "style"
    TABLE_PARTS = "table-parts"
    NESTING = "nesting"
    MARKUP = "markup"
    MARKDOWN = "markdown"


@dataclass(frozen=True, slots=True)
class DeviationRule:
    """One deviation, and why it is there."""

    name: Deviation
    official: str
    """What the official converter does, and what is lost or damaged by that."""
    instead: str
    """What is done here."""


DEVIATIONS: tuple[DeviationRule, ...] = (
    DeviationRule(
        Deviation.FIGURE,
        "An image, and its caption as an ordinary paragraph. Alignment and size are "
        "lost, also those of a paragraph around a picture.",
        "A figure component: image, caption as rich text, link, alignment, size.",
    ),
    DeviationRule(
        Deviation.LINKED_IMAGE,
        "An image without its link, since images carry no marks: what readers "
        "clicked leads nowhere.",
        "A figure component with the link.",
    ),
    DeviationRule(
        Deviation.IMAGE_SOURCE,
        "A picture that is given as data, or whose address a script would fill in "
        "from `data-src`, is left out.",
        "An image with that address.",
    ),
    DeviationRule(
        Deviation.RESERVED_ALT,
        "The origin's marks for `as the asset says` and `decorative` become the "
        "alternative text that screen readers read out.",
        "The asset's own alternative text, or an empty one.",
    ),
    DeviationRule(
        Deviation.VIDEO,
        "Frames and players are left out without a trace.",
        "An embed component with the addresses of page and frame, title, caption and "
        "shape, or what the embed choices say.",
    ),
    DeviationRule(
        Deviation.EMBED,
        "Scripts and styles of a custom embed are cut out, its inner texts and "
        "pictures run into the body; drawings, plug-ins and what shows something at "
        "an address leave their texts or nothing.",
        "A raw HTML component with the code as it was typed, or what the embed "
        "choices say.",
    ),
    DeviationRule(
        Deviation.COMPONENT,
        "The properties of a component instance are left out, its slots run into "
        "the body.",
        "A raw HTML component, or what the embed choices say.",
    ),
    DeviationRule(
        Deviation.BLOK,
        "A `div` with `data-blok` becomes a block without content: everything in it "
        "is left out.",
        "The content of the `div`.",
    ),
    DeviationRule(
        Deviation.ANCHOR,
        "Ids of anything but a span are left out, so links within the page lead to "
        "its top.",
        "An anchor mark on the first text in the element, or after an element without "
        "text. Of several ids, each marks a word or a character. An id without a text "
        "is listed.",
    ),
    DeviationRule(
        Deviation.BLOCKS_INSIDE,
        "A block in a paragraph leaves an empty paragraph before it. In a heading, "
        "the text after a block is no heading. A block that begins an item ends its "
        "list, and bullets follow. A block in code ends the code.",
        "The block stays in its place; item, list, heading and code go on. A "
        "paragraph in a heading is the heading, and one in code a line of it.",
    ),
    DeviationRule(
        Deviation.BLOCKS_APART,
        "Texts of elements that browsers show as blocks, such as `summary`, `dt`, "
        "`main` or `option`, run together into one word.",
        "A paragraph each.",
    ),
    DeviationRule(
        Deviation.BLANKS,
        "A text after a block keeps the blank of the source's line break, which "
        "shows as an indented paragraph.",
        "No blank at the beginning of a paragraph.",
    ),
    DeviationRule(
        Deviation.QUOTATION,
        "The quotation marks that a page draws around a `q` are lost.",
        "The marks are in the text: “ ”, and ‘ ’ for a quotation in another.",
    ),
    DeviationRule(
        Deviation.READING,
        "A reading that a page shows above the letters (`rt`) joins the word.",
        "The reading is in brackets behind the letters: those of its `rp`, or ( ).",
    ),
    DeviationRule(
        Deviation.DIRECTION,
        "The direction of a text (`dir`) is left out, though paragraphs, headings, "
        "quotes, list items and code can hold it: Hebrew and Arabic begin at the left.",
        "The block has its own direction, or that of what is around it; so has the "
        "paragraph of a text between blocks.",
    ),
    DeviationRule(
        Deviation.SPACER,
        "Paragraphs of an invisible character, which editors put in for distance, "
        "stay as content that no reader can see, search or select.",
        "They are left out, and listed.",
    ),
    DeviationRule(
        Deviation.LIST_BLANKS,
        "What is between items becomes an item, even a blank; so does a list without "
        "items. Pages show empty bullets, and numbers count them.",
        "Content between items that shows nothing is left out and listed.",
    ),
    DeviationRule(
        Deviation.LIST_NUMBERS,
        "A block before or between the items of a numbered list ends the list, and "
        "bullets follow. A text there becomes a numbered item. The `value` of an item "
        "is left out.",
        "Content between two items goes into the first of them, and content before "
        "all items goes before the list. The numbers go on; they begin with that of "
        "the first item.",
    ),
    DeviationRule(
        Deviation.VALUES,
        "Attributes that look like numbers or booleans become such: an alternative "
        "text `007` is 7, long numbers are rounded, a level `abc` is no level, and "
        "`5px` is none. Documents are invalid then.",
        "Texts stay texts, and a number is what browsers read: the digits at the "
        "beginning.",
    ),
    DeviationRule(
        Deviation.MAIL_LINK,
        "A mail address becomes the address of a page, which editors can't edit as "
        "a mail link.",
        "A link of the type `email`.",
    ),
    DeviationRule(
        Deviation.LINK_ATTRIBUTES,
        "Every attribute of a link is copied, also code that runs on a click, and the "
        "origin's classes and styles.",
        "Neither is kept; both are listed.",
    ),
    DeviationRule(
        Deviation.EMPTY_ID,
        "The origin writes an empty id on most links, and it is copied: pages show "
        '`id=""`, which HTML does not allow.',
        "The link has no id.",
    ),
    DeviationRule(
        Deviation.LINK_TARGET,
        "Any target is copied: `_new`, or an address by mistake. Editors can't choose "
        "it, and links with the same target share one window.",
        "`_blank` for every name but the four that browsers know; the name is listed.",
    ),
    DeviationRule(
        Deviation.CODE_IN_LINK,
        "A text can't be code and a link at once, and the link is left out.",
        "The link is kept, and the lost code is listed.",
    ),
    DeviationRule(
        Deviation.SPAN,
        "A span with an id loses its class.",
        "Both are kept.",
    ),
    DeviationRule(
        Deviation.UNDONE_MARKS,
        "An element gets its mark although its own style undoes it, such as a "
        "`strong` of normal weight. A text of normal weight in bold stays bold.",
        "No mark, as on the page.",
    ),
    DeviationRule(
        Deviation.STYLE,
        "Its style sheet parser reads `font`, `oblique`, `!important`, capitals and "
        "quotes differently from browsers: a mark that a page shows may be missing.",
        "Capitals make no difference, and the last value of a property counts.",
    ),
    DeviationRule(
        Deviation.TABLE_PARTS,
        "A table's caption becomes a row, a foot that is written above the rows stays "
        "there, rows without a cell stay, and a cell spans columns and rows that do "
        "not exist. Pages show none of this, and editors add cells.",
        "The caption is a paragraph before the table, the foot its last rows; rows "
        "without a cell are left out and listed; a cell spans no more columns and "
        "rows than begin in it.",
    ),
    DeviationRule(
        Deviation.NESTING,
        "Any depth is written. Some thousand levels end the conversion with an error, "
        "and services and JSON readers refuse a hundred.",
        "Sixteen levels of lists, quotes and tables; deeper content is kept without "
        "its level.",
    ),
    DeviationRule(
        Deviation.MARKUP,
        "Its parser reads malformed markup in a way of its own: a script or a comment "
        "may swallow the rest of a document, markup shows as text, marks end early, "
        "a link continues behind a link in it, words join, U+0000 stays, broken "
        "references end addresses.",
        "Read as browsers read it, but nothing moves and nothing is cut.",
    ),
    DeviationRule(
        Deviation.MARKDOWN,
        "Its Markdown reader keeps wide blanks around a line, and curls a quote "
        "next to an emoji in the other direction. Too many brackets take hours.",
        "The Python port of the same reader reads it. A text that takes too long "
        "becomes an embed.",
    ),
)
"""In the order in which the documentation lists them."""
