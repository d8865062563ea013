"""The names of the deviations of faithful conversion from the official one."""

from __future__ import annotations

from enum import StrEnum


class Deviation(StrEnum):
    """What faithful conversion does otherwise; `deviations.DEVIATIONS` tells why."""

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
    SPACER = "spacer"
    LIST_BLANKS = "list-blanks"
    VALUES = "values"
    MAIL_LINK = "mail-link"
    LINK_ATTRIBUTES = "link-attributes"
    EMPTY_ID = "empty-id"
    LINK_TARGET = "link-target"
    CODE_IN_LINK = "code-in-link"
    SPAN = "span"
    TABLE_PARTS = "table-parts"
    NESTING = "nesting"
    MARKUP = "markup"


ALL = frozenset(Deviation)
"""All of them: faithful conversion as the import uses it."""
