"""Checks decisions against origin and space: unknown names, open questions, and what
the origin no longer has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from cmsmig.counting import and_more
from cmsmig.errors import DecisionsError
from cmsmig.mapping.decisions.choices import (
    BlocksDecision,
    BodyMode,
    CollectionsDecision,
    EmbedsDecision,
)
from cmsmig.mapping.decisions.cleaning import CleaningDecision, cleaning_problems
from cmsmig.mapping.decisions.decision_files import FILE_NAMES
from cmsmig.mapping.decisions.design import ContentTypeDesign, Decision, Design
from cmsmig.mapping.decisions.redirects import RedirectsDecision, redirect_problems
from cmsmig.mapping.propose.content_types import OWN_PLACE
from cmsmig.mapping.propose.design_checks import (
    design_problems,
    doubles,
    unknown_collection,
)
from cmsmig.mapping.propose.encodings import OPTION_ENCODINGS
from cmsmig.mapping.propose.field_facts import SpaceFacts
from cmsmig.mapping.select.slugs import slug_problem
from cmsmig.origin.schema import Collection, Locale
from cmsmig.richtext.policy import Treatment

EMBED_KINDS = frozenset(
    ("video", "iframe", "embed", "component", "media", "figure", "linked-image")
)

_PICTURES = frozenset(("figure", "linked-image"))
_LANGUAGE = re.compile(r"[a-z0-9]+([-_][a-z0-9]+)*")
_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?|[0-9a-f:]+")


def check_against(decision: Decision, collections: Sequence[Collection]) -> None:
    """Refuse a decision that names what does not exist or can't work.

    Raises `DecisionsError` naming the file, the place and what is wrong; further
    problems are counted. Reads only.
    """
    problems = list(decision_problems(decision, collections))
    if problems:
        more = and_more(len(problems), 1, " (", " like this.)")
        raise DecisionsError(f"{FILE_NAMES[type(decision)]}: {problems[0]}.{more}")


def decision_problems(
    decision: Decision,
    collections: Sequence[Collection],
    space: SpaceFacts | None = None,
) -> Iterator[str]:
    """Yield what is wrong with a decision, each as a sentence without its stop."""
    by_id = {collection.collection_id: collection for collection in collections}
    if isinstance(decision, CollectionsDecision):
        yield from _collections_problems(decision, by_id)
    elif isinstance(decision, Design):
        yield from design_problems(decision, by_id, space)
    elif isinstance(decision, BlocksDecision):
        yield from _blocks_problems(decision, by_id)
    elif isinstance(decision, EmbedsDecision):
        yield from _embeds_problems(decision)
    elif isinstance(decision, RedirectsDecision):
        yield from redirect_problems(decision)
    elif isinstance(decision, CleaningDecision):
        yield from cleaning_problems(decision, by_id)


def _embeds_problems(decision: EmbedsDecision) -> Iterator[str]:
    for kind in sorted(decision.kinds.keys() - EMBED_KINDS):
        yield (
            f"there is no kind of embed `{kind}`; there are "
            f"{', '.join(sorted(EMBED_KINDS))}"
        )
    for host in sorted(decision.signatures):
        if not _HOST.fullmatch(host):
            yield (
                f"the signature `{host}` is no host; write it in lower case and "
                "without anything around it, such as www.youtube.com"
            )
    others = {name: decision.kinds[name] for name in decision.kinds.keys() - _PICTURES}
    for name, treatment in sorted({**others, **decision.signatures}.items()):
        if treatment is Treatment.PICTURE:
            yield f"`{name}` can't become a picture; use html, component, link or drop"


def undecided_collections(
    decision: CollectionsDecision,
    collections: Sequence[Collection],
    locales: Sequence[Locale],
) -> tuple[str, ...]:
    """Return what `collections.yaml` says nothing about, a sentence each."""
    known = {locale.locale_id for locale in decision.locales}
    return tuple(
        [
            f"Nothing is decided about the collection {one.display_name} ({one.slug})."
            for one in collections
            if one.is_known and decision.choice(one.collection_id) is None
        ]
        + [
            f"Nothing is decided about the locale {locale.display_name} ({locale.tag})."
            for locale in locales
            if locale.locale_id not in known
        ]
    )


def undecided_design(
    design: Design, decision: CollectionsDecision, collections: Sequence[Collection]
) -> tuple[str, ...]:
    """Return the collections to migrate, their fields and choices that the design
    leaves open, a sentence each: neither made nor left out with a reason."""
    found: list[str] = []
    for collection in collections:
        choice = decision.choice(collection.collection_id)
        if choice is None or not (choice.migrate and collection.is_known):
            continue
        content_type = design.content_type(collection.collection_id)
        if content_type is None:
            found.append(
                f"Nothing is designed for the collection {collection.display_name} "
                f"({collection.slug})."
            )
            continue
        found += [
            f"Nothing is designed for the field {field.display_name} ({field.slug}) of "
            f"{collection.display_name}."
            for field in collection.fields
            if field.slug not in {*content_type.origins, *OWN_PLACE}
        ]
        found += _undecided_options(content_type, collection)
    return tuple(found)


def _undecided_options(
    content_type: ContentTypeDesign, collection: Collection
) -> Iterator[str]:
    for field in content_type.fields:
        origin = collection.field(field.origin)
        if origin is None or field.encoding not in OPTION_ENCODINGS:
            continue
        labels = dict(field.options)
        for option, name in origin.options:
            if option not in labels:
                yield (
                    f"Nothing is decided about the option {name} ({option}) of the "
                    f"field {origin.display_name} of {collection.display_name}."
                )


def _collections_problems(
    decision: CollectionsDecision, collections: Mapping[str, Collection]
) -> Iterator[str]:
    for choice in decision.collections:
        if choice.collection_id not in collections:
            yield unknown_collection(
                choice.collection_slug, choice.collection_id, collections
            )
        for item in doubles((each.item_id, each.locale_id) for each in choice.apart):
            yield (
                f"`apart` of {choice.collection_slug} decides twice about the item "
                f"{' in the locale '.join(filter(None, item))}"
            )
    for former in decision.former_paths:
        if former.collection_id not in collections:
            slug, identifier = former.collection_slug, former.collection_id
            yield unknown_collection(slug, identifier, collections)
    for path, slug in doubles(
        (f"/{'/'.join(each.parts)}", each.collection_slug)
        for each in decision.former_paths
    ):
        yield f"the former path `{path}` of {slug} is decided twice"
    ids = [choice.collection_id for choice in decision.collections]
    for twice in doubles(ids):
        yield f"the collection {twice} is decided twice"
    taken = [locale for locale in decision.locales if locale.migrate]
    for locale in taken:
        if locale.folder and (why := slug_problem(locale.folder)):
            yield f"the folder `{locale.folder}` of the locale {locale.tag} {why}"
    if decision.translations:
        yield from _language_problems(decision)
        return
    folders = [locale.folder for locale in taken]
    for folder in doubles(folders):
        yield f"two locales have the folder `{folder}`, so their pages would collide"


def _language_problems(decision: CollectionsDecision) -> Iterator[str]:
    for locale in decision.translations:
        if not _LANGUAGE.fullmatch(locale.code):
            yield (
                f"the language `{locale.code}` of the locale {locale.tag} is no code; "
                "write it as the space has it, such as fr or fr-ca"
            )
    codes = [each.code.replace("_", "-") for each in decision.translations]
    for code in doubles(codes):
        yield f"two locales have the language `{code}`; one would hide the other"


def _blocks_problems(
    decision: BlocksDecision, collections: Mapping[str, Collection]
) -> Iterator[str]:
    for body in decision.bodies:
        collection = collections.get(body.collection_id)
        if collection is None:
            yield unknown_collection(
                body.collection_slug, body.collection_id, collections
            )
        elif not collection.is_known:
            continue
        elif (field := collection.field(body.field)) is None:
            yield f"the collection {collection.slug} has no field `{body.field}`"
        elif body.mode is BodyMode.BLOCKS and field.type != "RichText":
            yield (
                f"the field `{body.field}` of {collection.slug} is of type "
                f"{field.type}, and only RichText is split into blocks"
            )
    fields = [(body.collection_slug, body.field) for body in decision.bodies]
    for slug, name in doubles(fields):
        yield f"the field `{name}` of {slug} is decided twice"


def departures(
    decision: CollectionsDecision,
    design: Design,
    collections: Sequence[Collection],
    locales: Sequence[Locale],
) -> Iterator[str]:
    """Yield what is gone at the origin and does no harm in decisions, a sentence each.

    A field or a collection that is gone is refused by the checks instead.
    """
    known = {each.locale_id for each in locales}
    for each in decision.locales:
        if each.locale_id not in known:
            yield (
                f"The site no longer has the locale {each.tag}; it can be taken out of "
                "decisions/collections.yaml."
            )
    by_id = {each.collection_id: each for each in collections}
    for content_type in design.content_types:
        yield from _options(content_type, by_id)


def _options(
    content_type: ContentTypeDesign, collections: Mapping[str, Collection]
) -> Iterator[str]:
    collection = collections.get(content_type.collection_id)
    for field in content_type.fields:
        origin = collection.field(field.origin) if collection else None
        if origin is None or origin.type != field.origin_type:
            continue
        if field.encoding not in OPTION_ENCODINGS:
            continue
        there = dict(origin.options)
        for option, label in field.options:
            if option not in there:
                yield (
                    f"The origin no longer has the option `{label}` of the field "
                    f"`{field.origin}` of `{content_type.collection_slug}`; editors "
                    "can choose it until it is taken out of decisions/design.yaml."
                )
