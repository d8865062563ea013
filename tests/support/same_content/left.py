"""What a migration leaves, without what only this run has."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

import yaml

from cmsmig.canonical import canonical
from cmsmig.evidence.addresses import address_map
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.redirects.address_map import AddressMap
from cmsmig.sandbox.observe.comparison import comparable_state
from cmsmig.sandbox.server import SandboxHandle
from cmsmig.settings import Project, Settings
from cmsmig.steps.decide.migration import open_migration
from tests.support.same_content.ways import Arrangement

_WHEN = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00")


INTENTS = ("component", "datasource", "folder", "asset_folder", "sign", "create",
           "update", "publish")  # fmt: skip


@dataclass(frozen=True)
class Left:
    """What a site's migration leaves, ids and addresses of this run aside."""

    space: str
    """Canonical JSON."""
    ledger: dict[str, list]
    redirects: AddressMap
    decision_texts: dict[str, str]
    """Without the times."""
    raw_texts: dict[str, str]
    broken: int
    """How many interruptions there were."""
    assets: int
    """Records in the space, those without bytes counted."""
    violations: tuple[str, ...]

    def decisions(self) -> dict[str, object]:
        """Return the decisions, whatever comes first in a list of records."""
        return {
            name: in_one_order(yaml.safe_load(text))
            for name, text in self.decision_texts.items()
        }

    def raw(self) -> dict[str, object]:
        """Return the raw cache, whatever comes first in a list of records."""
        return {
            name: in_one_order(json.loads(text))
            for name, text in self.raw_texts.items()
        }


def assert_same(plain: Left, left: Left, way: Arrangement) -> None:
    """Insist that nothing differs but the order that the origin had itself."""
    assert (plain.violations, left.violations) == ((), ())
    assert left.space == plain.space
    assert left.assets == plain.assets
    assert left.ledger == plain.ledger
    assert left.decisions() == plain.decisions()
    assert left.redirects == plain.redirects
    assert left.raw() == plain.raw()
    if not (way.orders.collections or way.orders.locales):
        assert left.decision_texts == plain.decision_texts
    if way.orders.is_plain:
        assert left.raw_texts == plain.raw_texts


@dataclass(frozen=True)
class Finished:
    """A project that was imported, with its sandbox."""

    handle: SandboxHandle
    project: Project
    settings: Settings
    broken: int

    def left(self) -> Left:
        """Look at everything."""
        recorder = self.handle.state.recorder
        return Left(
            space=self._space(),
            ledger=self._ledger(),
            decision_texts=self._decision_texts(),
            redirects=self._redirects(),
            raw_texts=self._raw_texts(),
            broken=self.broken,
            assets=len(self.handle.state.space.assets),
            violations=tuple(f"{v.kind} {v.where}" for v in recorder.violations),
        )

    def _space(self) -> str:
        """Return the space; addresses within texts become what is behind them."""
        space = self.handle.state.space
        text = canonical(comparable_state(space)).decode("utf-8", "surrogatepass")
        for asset in space.assets.values():
            mark = f"asset {asset.key.rpartition('/')[2]} {asset.digest}"
            text = text.replace(space.address(asset), mark)
        return self._anywhere(text)

    def _ledger(self) -> dict[str, list]:
        with Ledger.open_existing(self.project.ledger) as ledger:
            return {
                "accounting": [str(ledger.items.accounting())],
                "items": [
                    (str(key), row.name, row.full_slug, row.status, row.reason,
                     row.link_state, bool(row.published))
                    for key, row in ledger.items.all().items()
                ],
                "assets": sorted(
                    (row.sha256, row.ext_id, row.name, row.status, row.reason)
                    for row in ledger.inventory.assets().values()
                ),
                "made": sorted(
                    (kind, row.name, row.made, row.body_hash)
                    for kind in ("component", "folder", "asset_folder", "datasource")
                    for row in ledger.inventory.made(kind).values()
                ),
                "open intents": [
                    (each.kind, each.subject)
                    for kind in INTENTS
                    for each in ledger.intents.open(kind)
                ],
                "losses": sorted(ledger.findings.losses_by_kind().items()),
            }  # fmt: skip

    def _decision_texts(self) -> dict[str, str]:
        return {
            path.name: _WHEN.sub("then", self._anywhere(path.read_text()))
            for path in sorted(self.project.decisions.glob("*.yaml"))
        }

    def _redirects(self) -> AddressMap:
        with Ledger.open_existing(self.project.ledger) as ledger:
            existing = {
                key: row.story_record.full_slug
                for key, row in ledger.items.all().items()
                if row.story_record
            }
        migration = open_migration(self.project, self.settings)
        return address_map(self.project, migration, existing)

    def _raw_texts(self) -> dict[str, str]:
        raw = self.project.raw
        return {
            path.relative_to(raw).as_posix(): self._anywhere(path.read_text())
            for path in sorted(raw.rglob("*.json"))
            if path.parent.name != ".pages"
        }

    def _anywhere(self, text: str) -> str:
        return text.replace(self.handle.announcement["origin_api_url"], "origin:")


def in_one_order(value: object) -> object:
    """Return a document whose lists of records have an order of their own."""
    if isinstance(value, dict):
        return {key: in_one_order(each) for key, each in value.items()}
    if isinstance(value, list):
        found = [in_one_order(each) for each in value]
        records = any(isinstance(each, dict) for each in found)
        return sorted(found, key=canonical) if records else found
    return value
