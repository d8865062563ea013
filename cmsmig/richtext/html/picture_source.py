"""Which address a picture shows once the scripts of its page have run.

Pages load pictures late: a placeholder is in `src`, and the address that readers
see is in an attribute that a script reads, in a source set, or in the `noscript`
next to the picture.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from cmsmig.richtext.html.dom import Element, Node, find, text_of, walk

_LATE = (
    *("data-src", "data-lazy-src", "data-lazy", "data-original", "data-lazysrc"),
    *("data-lazyload", "data-original-src", "data-orig-src", "data-real-src"),
    *("data-img-src", "data-echo", "data-cfsrc", "data-ll-src", "data-defer-src"),
)
"""Where scripts keep the address, the commonest first."""
_LATE_SETS = ("data-srcset", "data-lazy-srcset", "data-original-set", "data-ll-srcset")
SOURCE_SETS = ("srcset", "imagesrcset", *_LATE_SETS)
_NAMED = re.compile(
    r"data-(?:[\w-]+-)?(?:src|source|bg|background|image|img|picture|photo|original)"
)
"""Names that say that a picture's address is there, whatever it looks like."""
_UNSHOWN = ("data:", "about:", "javascript:", "blob:", "{", "[", "#", "<")
_ADDRESS = re.compile(r"[^\s<>\"']*[./][^\s<>\"']*")
_PICTURE = re.compile(
    r"[^?#]*\.(?:jpe?g|png|gif|webp|avif|svg|bmp|tiff?|heic)(?:[?#].*)?", re.I | re.S
)
_BLANK = (
    r"blank|placeholder|spacer|transparent|pixel|dummy|loading|loader|spinner|lazy"
    r"|empty|preload|px|x"
)
_BLANK_NAME = re.compile(
    rf"(?:[^?#]*/)?+(?:[0-9a-f]{{24,32}}_)?(?:[^a-z?#/]*+(?:image|img))*+"
    rf"[^a-z?#/]*+(?:{_BLANK})(?:[^a-z?#/]*+(?:{_BLANK}|image|img))*+[^a-z?#/]*+"
    r"(?:(?<=\.)[a-z]{3,4})?(?:[?#].*)?",
    re.I | re.S,
)
"""Names of files that show nothing, or that something is yet to come."""
_MOST_INSIDE = 20
"""Elements in what shows a picture without scripts; one with more shows more."""
_CANDIDATE = re.compile(r"[\s,]*(\S+)")
_DESCRIPTOR = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)[wx]")


def candidates(srcset: str) -> Iterator[tuple[str, float]]:
    """Yield the addresses of a `srcset` with their widths or densities.

    An address may hold commas itself. Source: HTML, parsing a srcset attribute.
    """
    position = 0
    while match := _CANDIDATE.match(srcset, position):
        address, descriptor = match[1], ""
        position = match.end()
        if not address.endswith(","):
            comma = srcset.find(",", position)
            end = comma if comma >= 0 else len(srcset)
            descriptor, position = srcset[position:end], end + 1
        if address := address.rstrip(","):
            size = _DESCRIPTOR.search(descriptor)
            yield address, float(size[1]) if size else 1.0


class PictureSources:
    """The addresses that readers of one body saw its pictures at. Changes nothing."""

    def __init__(self, root: Element) -> None:
        self.twins: dict[Element, Element] = {}
        """By picture, the `noscript` next to it that shows it without scripts."""
        self._sets: dict[Element, str] = {}
        """By picture, the largest address of the sources around it."""
        elements = (root, *walk(root))
        holding = {each.parent for each in elements if each.tag == "noscript"}
        for parent in elements:
            if parent.tag == "picture":
                self._note_sources(parent)
            if parent in holding:
                self._note_twins(parent.children)

    def shown(self, image: Element) -> str:
        """Return the address that readers saw; empty where there is none.

        What a script fills in comes before `src`. Where `src` is a placeholder, so do
        other attributes with a picture's address, source sets, and the `noscript`.
        """
        given = image.attributes
        source = given.get("src", "")
        if late := _late(given) or _largest(given, _LATE_SETS):
            return late
        bare = source.strip()
        if bare and not bare.lower().startswith(_UNSHOWN) and not _is_blank(bare):
            return source
        twin = self.twins.get(image)
        inner = None if twin is None else find(twin, "img")
        return (
            next(_others(given), "")
            or _largest(given, ("srcset",))
            or self._sets.get(image, "")
            or ("" if inner is None else self.shown(inner))
            or source
        )

    def _note_sources(self, picture: Element) -> None:
        inside = [each for each in picture.children if isinstance(each, Element)]
        named = ("srcset", *_LATE_SETS)
        listed = (_largest(e.attributes, named) for e in inside if e.tag == "source")
        if address := next(filter(None, listed), ""):
            self._sets |= {each: address for each in inside if each.tag == "img"}

    def _note_twins(self, children: Sequence[Node]) -> None:
        near = [each for each in children if _is_seen(each)]
        for at, twin in enumerate(near):
            if not isinstance(twin, Element) or not _is_twin(twin):
                continue
            for each in (*near[max(at - 1, 0) : at], *near[at + 1 : at + 2]):
                image = _image_of(each)
                if image is not None and image not in self.twins:
                    self.twins[image] = twin
                    break


def _late(given: Mapping[str, str]) -> str:
    return next((given[name] for name in _LATE if _is_address(given.get(name, ""))), "")


def _others(given: Mapping[str, str]) -> Iterator[str]:
    for name, value in given.items():
        said = name.startswith("data-") and _is_address(value)
        if said and (_PICTURE.match(value) or _NAMED.fullmatch(name)):
            yield value


def _is_address(value: str) -> bool:
    bare = value.strip()
    return not bare.lower().startswith(_UNSHOWN) and bool(_ADDRESS.fullmatch(bare))


def _is_blank(address: str) -> bool:
    return _BLANK_NAME.fullmatch(address) is not None


def _largest(given: Mapping[str, str], names: tuple[str, ...]) -> str:
    listed = [
        found
        for name in names
        for found in candidates(given.get(name, ""))
        if not found[0].lower().startswith(_UNSHOWN)
    ]
    return max(listed, key=lambda found: found[1])[0] if listed else ""


def _is_seen(node: Node) -> bool:
    return isinstance(node, Element) or bool(node.value.strip())


def _image_of(node: Node) -> Element | None:
    """Return the picture that a node is, or that its sources are around."""
    if not isinstance(node, Element):
        return None
    inside = node.children if node.tag == "picture" else (node,)
    images = (e for e in inside if isinstance(e, Element) and e.tag == "img")
    return next(images, None)


def _is_twin(element: Element) -> bool:
    """Return whether an element is for readers without scripts, and holds one picture
    and nothing else to see."""
    if element.tag != "noscript":
        return False
    inside = [*islice(walk(element), _MOST_INSIDE + 1)]
    if len(inside) > _MOST_INSIDE or text_of(element).strip():
        return False
    return sum(each.tag == "img" for each in inside) == 1
