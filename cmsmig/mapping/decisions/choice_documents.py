"""The three smaller decision files: the keys that people edit."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, PlainSerializer

from cmsmig.mapping.decisions.choices import (
    ArchivedLiveRule,
    ArchiveRule,
    CollectionChoice,
    DraftRule,
    EmbedsDecision,
    FormerPath,
    ItemChoice,
    ItemSet,
    Languages,
    LocaleChoice,
    MissingLanguage,
    PublishRule,
    QueuedRule,
    Take,
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
from cmsmig.richtext.policy import (
    InstanceBlock,
    PropField,
    PropType,
    Treatment,
    Unclosed,
)


class _LocaleKeys(Keys):
    brief: ClassVar[bool] = True

    tag: str = Field(alias="locale")
    locale_id: str
    name: str = Field(default_factory=str)
    primary: Flag = Field(default_factory=bool)
    migrate: Flag = Field(default_factory=lambda: True)
    folder: str = Field(default_factory=str)
    language: str = ""


class _ItemKeys(Keys):
    item_id: str = Field(alias="item")
    locale_id: str = ""
    take: Take
    note: str = ""


class _CollectionKeys(Keys):
    # What most sites decide about stands there always, the rest where it is chosen.
    brief: ClassVar[bool] = True

    collection_slug: str = Field(alias="collection")
    collection_id: str
    migrate: Flag = Field(default_factory=lambda: True)
    items: ItemSet = Field(default_factory=lambda: ItemSet.STAGED)
    drafts: DraftRule = Field(default_factory=lambda: DraftRule.AS_DRAFTS)
    archived: ArchiveRule = Field(default_factory=lambda: ArchiveRule.SKIP)
    archived_live: ArchivedLiveRule = ArchivedLiveRule.AS_ARCHIVED
    queued: QueuedRule = QueuedRule.AS_DRAFTS
    publish: PublishRule = Field(default_factory=lambda: PublishRule.NOTHING)
    note: str = Field(default_factory=str)
    apart: tuple[Annotated[ItemChoice, From(_ItemKeys)], ...] = ()


class _FormerPathKeys(Keys):
    path: str
    collection_slug: str = Field(alias="collection")
    collection_id: str
    follow: Flag = Field(default_factory=lambda: True)


class CollectionsKeys(DecisionKeys):
    """The keys of `collections.yaml`."""

    # On a site of one language nothing is missing.
    brief: ClassVar[bool] = True

    locales: tuple[Annotated[LocaleChoice, From(_LocaleKeys)], ...] = Field(
        default_factory=tuple
    )
    languages: Languages = Languages.FOLDERS
    missing_language: MissingLanguage = MissingLanguage.LEAVE_OUT
    collections: tuple[Annotated[CollectionChoice, From(_CollectionKeys)], ...] = Field(
        default_factory=tuple
    )
    former_paths: tuple[Annotated[FormerPath, From(_FormerPathKeys)], ...] = ()


_Treatments = Annotated[
    dict[str, Treatment],
    BeforeValidator(values_of),
    PlainSerializer(mapping_of, return_type=dict),
]


class _PropKeys(Keys):
    prop: str
    label: str = ""
    field: str
    type: PropType = PropType.TEXT


class _InstanceKeys(Keys):
    name: str = Field("", alias="component")
    component_id: str
    block: str
    props: tuple[Annotated[PropField, From(_PropKeys)], ...] = ()


class EmbedsKeys(DecisionKeys):
    """The keys of `embeds.yaml`."""

    kinds: _Treatments = Field({})
    signatures: _Treatments = Field({})
    unclosed: Unclosed = Unclosed.KEEP
    components: tuple[Annotated[InstanceBlock, From(_InstanceKeys)], ...] = ()

    @classmethod
    def taken(cls, made: EmbedsDecision) -> dict[str, Any]:
        taken = super().taken(made)
        if not made.components:
            # Most sites have none in their texts.
            del taken["components"]
        return taken


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
