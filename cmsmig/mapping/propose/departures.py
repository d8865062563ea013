"""What decisions still name and the origin no longer has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from cmsmig.mapping.decisions.choices import CollectionsDecision
from cmsmig.mapping.decisions.design import ContentTypeDesign, Design
from cmsmig.mapping.propose.encodings import OPTION_ENCODINGS
from cmsmig.origin.schema import Collection, Locale


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
