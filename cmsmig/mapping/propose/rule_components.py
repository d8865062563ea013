"""Components that a project's own rules make blocks of, as parts of the design."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace

from cmsmig.counting import first_of
from cmsmig.errors import DecisionsError
from cmsmig.mapping.decisions.design import BlockDesign, Design
from cmsmig.mapping.propose.component_payloads import component_bodies


def with_declared(
    design: Design, declared: Iterable[BlockDesign], where: str
) -> Design:
    """Return a design with the declared blocks that it lacks.

    One that a person has put into the design stands as it is there. Raises
    `DecisionsError` when that has not all the declared fields, or is a content
    type; `where` names the file that declares.
    """
    known = {block.component: block for block in design.blocks}
    types = {each.component for each in design.content_types}
    added = []
    for block in declared:
        if block.component in types:
            raise DecisionsError(
                f"{where} declares the component `{block.component}`, which is a "
                "content type in decisions/design.yaml; give it another name."
            )
        there = known.get(block.component)
        if there is None:
            added.append(block)
        elif missing := sorted(block.schema.keys() - there.schema.keys()):
            raise DecisionsError(
                f"{where} declares the component `{block.component}` with the field "
                f"`{missing[0]}`, which it lacks in decisions/design.yaml; add it "
                "there or take it out."
            )
    return replace(design, blocks=(*design.blocks, *added)) if added else design


def refuse_undesigned(design: Design, used: Mapping[str, Set[str]]) -> None:
    """Raise `DecisionsError` naming what stories use and the design lacks.

    `used`: field keys by component. Source: destination, unknown components are
    stored without a word.
    """
    if lacking := list(_find_undesigned(design, used)):
        raise DecisionsError(
            f"The rules of this project make blocks that the design lacks "
            f"({first_of(lacking, 5, ', and ')}), and the destination would store them "
            "without a word; declare them with component(...) beside the rules, or "
            "under blocks in decisions/design.yaml."
        )


def _find_undesigned(design: Design, used: Mapping[str, Set[str]]) -> Iterator[str]:
    keys = {
        body.name: schema.keys()
        if isinstance(schema := body.body["schema"], dict)
        else ()
        for body in component_bodies(design)
    }
    for component in sorted(used):
        if component not in keys:
            yield f"component `{component}`"
            continue
        for key in sorted(used[component] - set(keys[component])):
            yield f"field `{key}` of component `{component}`"
