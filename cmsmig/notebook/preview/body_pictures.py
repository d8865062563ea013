"""The pictures that a preview of a body shows, from the local copies."""

from __future__ import annotations

from collections.abc import Mapping

from cmsmig.origin.files import FileRow
from cmsmig.survey.thumbnails import Thumbnails
from cmsmig.ui.html.sanitizer import FindPicture

_MOST = 24
"""Pictures that one side of a preview shows; the others stay boxes."""
_MOST_LETTERS = 160_000
"""Of all their addresses, which hold them."""


class BodyPictures:
    """Finds pictures by the address that a body or a document names."""

    def __init__(self, files: Mapping[str, FileRow], thumbnails: Thumbnails) -> None:
        self._files = files
        self._thumbnails = thumbnails

    def side(self) -> FindPicture:
        """Return what finds pictures for one side of one body: a bounded number."""
        count = letters = 0

        def find(address: str) -> str:
            nonlocal count, letters
            row = self._files.get(address)
            if row is None or not row.sha256 or count == _MOST:
                return ""
            found = self._thumbnails.draw(row.sha256)
            if not found or letters + len(found) > _MOST_LETTERS:
                return ""
            count += 1
            letters += len(found)
            return found

        return find
