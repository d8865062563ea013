"""The design written as files: for TypeScript, and as a page to read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from cmsmig.canonical import JsonObject
from cmsmig.design_export.languages import languages_file
from cmsmig.design_export.reference import reference_page
from cmsmig.design_export.typescript import typescript
from cmsmig.mapping.decisions.design import Design
from cmsmig.mapping.propose.component_payloads import component_bodies
from cmsmig.steps.decide.decided_design import DecidedDesign
from cmsmig.ui.report_file import write_text


@dataclass(frozen=True, slots=True)
class SchemaFiles:
    """What was written, and of what."""

    paths: tuple[Path, ...]
    design: Design

    @property
    def lines(self) -> list[str]:
        """Return it for a person."""
        return [f"{path} written" for path in self.paths]

    def as_json(self) -> JsonObject:
        """Return the document that `schema --json` prints."""
        return {
            "written": [str(path) for path in self.paths],
            "content_types": [each.component for each in self.design.content_types],
            "components": [each.name for each in component_bodies(self.design)],
        }


def write_schema(decided: DecidedDesign, folder: Path) -> SchemaFiles:
    """Write all files of a design below `folder`; replaces those that are there.

    Raises `StorageError` when the disk refuses.
    """
    design = decided.design
    languages = json.dumps(languages_file(decided), ensure_ascii=False, indent=2)
    texts = {
        "languages.json": f"{languages}\n",
        "stories.d.ts": typescript(design),
        "reference.md": reference_page(decided),
    }
    paths = [write_text(folder / path, text) for path, text in texts.items()]
    return SchemaFiles(tuple(paths), design)
