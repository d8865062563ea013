"""`design.yaml`: the keys that people edit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from cmsmig.mapping.decisions.design import (
    BlockDesign,
    BlockRole,
    ContentTypeDesign,
    Encoding,
    FieldDesign,
    LeftOutField,
    SectionDesign,
)
from cmsmig.mapping.decisions.document_keys import (
    DecisionKeys,
    Flag,
    FreeMapping,
    From,
    Keys,
    Made,
    mistake,
)
from cmsmig.mapping.decisions.yaml_documents import text_of


class _OptionKeys(Keys):
    id: str
    label: str

    @classmethod
    def taken(cls, made: tuple[str, str]) -> dict[str, Any]:
        return {"id": made[0], "label": made[1]}

    def made(self, kind: Callable[..., Made]) -> Made:
        return kind((self.id, self.label))


class _FieldKeys(Keys):
    origin: str
    origin_type: str = Field(alias="type")
    key: str
    encoding: Encoding
    display_name: str
    required: Flag = False
    target_collection: str = ""
    datasource: str = ""
    options: tuple[Annotated[tuple[str, str], From(_OptionKeys)], ...] = ()
    help_text: str = ""
    rules: FreeMapping = Field(default_factory=dict)
    note: str = ""

    brief = True


class _SectionKeys(Keys):
    key: str
    display_name: str
    component: str = ""
    fields: tuple[Annotated[str, BeforeValidator(text_of)], ...] = Field(
        default_factory=tuple
    )

    brief = True


class _LeftOutKeys(Keys):
    origin: str
    origin_type: str = Field(alias="type")
    note: str = ""


class _ContentTypeKeys(Keys):
    collection_slug: str = Field(alias="collection")
    collection_id: str
    component: str
    display_name: str
    folder: str
    folder_name: str
    note: str = ""
    universal: Flag = False
    date_field: str = ""
    order_field: str = ""
    folder_by: str = ""
    start_page: str = ""
    tags_by: str = ""
    fields: tuple[Annotated[FieldDesign, From(_FieldKeys)], ...] = Field(
        default_factory=tuple
    )
    sections: tuple[Annotated[SectionDesign, From(_SectionKeys)], ...] = ()
    left_out: tuple[Annotated[LeftOutField, From(_LeftOutKeys)], ...] = ()

    brief = True


def _known_role(written: object) -> object:
    if written == "linked_image":
        raise mistake(
            "the role `linked_image` is `figure` now, with the fields image, caption "
            "(richtext), link, alignment and size: take this block out, or delete the "
            "file and accept the proposals again"
        )
    return written


class _BlockKeys(Keys):
    component: str
    display_name: str
    role: Annotated[BlockRole, BeforeValidator(_known_role)] = BlockRole.OTHER
    universal: Flag = False
    definitions: FreeMapping = Field(default_factory=dict, alias="schema")

    brief = True

    @classmethod
    def taken(cls, made: BlockDesign) -> dict[str, Any]:
        named = ("component", "display_name", "role", "universal")
        taken = {name: getattr(made, name) for name in named}
        return taken | {"definitions": made.schema}

    def made(self, kind: Callable[..., Made]) -> Made:
        given = dict(self)
        return kind(schema=given.pop("definitions"), **given)


class DesignKeys(DecisionKeys):
    """The keys of `design.yaml`."""

    asset_folder: str = ""
    content_types: tuple[Annotated[ContentTypeDesign, From(_ContentTypeKeys)], ...] = ()
    blocks: tuple[Annotated[BlockDesign, From(_BlockKeys)], ...] = ()
