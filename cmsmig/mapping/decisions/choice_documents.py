"""The three smaller decision files: the keys that people edit."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field, PlainSerializer

from cmsmig.mapping.decisions.choices import (
    ArchiveRule,
    CollectionChoice,
    DraftRule,
    ItemSet,
    LocaleChoice,
    PublishRule,
)
from cmsmig.mapping.decisions.conflicts import (
    WHOLE,
    ConflictAction,
    ConflictChoice,
    ConflictKind,
    EditChoice,
    GoneAction,
    GoneChoice,
    GoneFrom,
    Side,
)
from cmsmig.mapping.decisions.document_keys import (
    DecisionKeys,
    Flag,
    From,
    Keys,
    values_of,
)
from cmsmig.mapping.decisions.yaml_documents import mapping_of
from cmsmig.richtext.policy import Treatment, Unclosed


class _LocaleKeys(Keys):
    tag: str = Field(alias="locale")
    locale_id: str
    name: str = ""
    primary: Flag = False
    migrate: Flag = True
    folder: str = ""


class _CollectionKeys(Keys):
    collection_slug: str = Field(alias="collection")
    collection_id: str
    migrate: Flag = True
    items: ItemSet = ItemSet.STAGED
    drafts: DraftRule = DraftRule.AS_DRAFTS
    archived: ArchiveRule = ArchiveRule.SKIP
    publish: PublishRule = PublishRule.NOTHING
    note: str = ""


class CollectionsKeys(DecisionKeys):
    """The keys of `collections.yaml`."""

    locales: tuple[Annotated[LocaleChoice, From(_LocaleKeys)], ...] = ()
    collections: tuple[Annotated[CollectionChoice, From(_CollectionKeys)], ...] = ()


_Treatments = Annotated[
    dict[str, Treatment],
    BeforeValidator(values_of),
    PlainSerializer(mapping_of, return_type=dict),
]


class EmbedsKeys(DecisionKeys):
    """The keys of `embeds.yaml`."""

    kinds: _Treatments = Field({})
    signatures: _Treatments = Field({})
    unclosed: Unclosed = Unclosed.KEEP


class _ConflictKeys(Keys):
    kind: ConflictKind
    what: str
    action: ConflictAction
    rename_to: str = ""
    note: str = ""


class _EditKeys(Keys):
    kind: ConflictKind
    what: str
    field: str = WHOLE
    take: Side
    seen: str = ""
    note: str = ""


class _GoneKeys(Keys):
    side: GoneFrom = Field(alias="from")
    what: str
    action: GoneAction
    note: str = ""


class ConflictsKeys(DecisionKeys):
    """The keys of `conflicts.yaml`."""

    conflicts: tuple[Annotated[ConflictChoice, From(_ConflictKeys)], ...] = ()
    edits: tuple[Annotated[EditChoice, From(_EditKeys)], ...] = ()
    gone: tuple[Annotated[GoneChoice, From(_GoneKeys)], ...] = ()
