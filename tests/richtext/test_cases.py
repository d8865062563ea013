"""Bodies, their documents and their losses, as the files in `cases` say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
import yaml

from cmsmig.mapping.decisions.choices import EmbedsDecision
from cmsmig.mapping.decisions.decision_files import embed_policy, from_text
from cmsmig.mapping.decisions.design import Design
from cmsmig.richtext.custom.claims import CustomRules
from cmsmig.richtext.engine import AssetLookup, Converted, UploadedAsset
from cmsmig.richtext.native import NativeEngine, convert_text
from cmsmig.richtext.policy import EmbedPolicy
from cmsmig.richtext.schema.validate import problems
from tests.support.cases import cases, part
from tests.support.richtext.account import wrong
from tests.support.richtext.outline import outline
from tests.support.richtext.rules import answering, noted

Case = Mapping[str, Any]
FILES = (
    "structure.yaml", "blanks.yaml", "figures.yaml", "embeds.yaml", "losses.yaml",
    "unclosed_embeds.yaml", "rules.yaml",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Files(AssetLookup):
    """The files of a case, by address."""

    files: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def uploaded_asset(self, address: str) -> UploadedAsset | None:
        """Return the asset, where the case says what became of the file."""
        new = self.files.get(address, {}).get("asset")
        return UploadedAsset(7, new) if new else None

    def alt(self, address: str) -> str:
        """Return the asset's own alt text."""
        return self.files.get(address, {}).get("alt", "")

    def missing(self, address: str) -> str:
        """Return why there is no such file."""
        return self.files.get(address, {}).get("missing", "")


def policy_of(case: Case) -> EmbedPolicy:
    """Return the policy of a case, from what its `embeds.yaml` says."""
    text = yaml.safe_dump(case.get("embeds", {}))
    decision = from_text(text, "embeds.yaml", EmbedsDecision)
    policy = embed_policy(decision, Design((), ()))
    fields = case.get("embed_fields", policy.embed_fields)
    return replace(policy, embed_fields=frozenset(fields))


def converted(case: Case) -> Converted:
    """Convert the body of a case as the case says."""
    rule = noted(case["notes"]) if "notes" in case else answering(case.get("answer"))
    rules = CustomRules(rule) if {"notes", "answer"} & {*case} else None
    engine = NativeEngine(rules=rules)
    files = Files(files=case.get("files", {}))
    if "markdown" in case:
        return engine.from_markdown(case["markdown"], policy_of(case), files)
    return engine.from_html(case["html"], policy_of(case), files)


@cases(__file__, *FILES)
def test_case(case: Case) -> None:
    """The whole document, and every loss with what the case says of it; and the
    account of the body holds, but for what the case names."""
    made = converted(case)
    assert outline(made.document) == case["document"]
    wanted = case.get("losses", [])
    assert part([loss.as_json() for loss in made.losses], wanted) == wanted
    assert problems(made.document) == ()
    if "html" in case and "files" not in case and "answer" not in case:
        assert wrong(case["html"], made) == case.get("account", [])


def test_an_unknown_source_is_refused() -> None:
    """A source that is neither HTML nor Markdown is an error of the caller."""
    with pytest.raises(ValueError, match="neither"):
        convert_text("x", source="rst")
