"""What developers do: components, assets, and the design of our own."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.proofs.machine.play import Play, numbers, pick
from tests.proofs.machine.schemas import EXTRA, FIELD_LABEL, LABEL, NAME

labels = st.sampled_from(("Note", "Memo", "Card"))
_LABEL = "component: note\n    display_name: "
_FIELD_LABEL = "key: line\n        encoding: text\n        display_name: "


class Developing(Play):
    """Components and assets at the destination, and the design."""

    @precondition(lambda self: self.model.component.theirs is not None)
    @rule(label=labels)
    def developer_labels_component(self, label: str) -> None:
        """The component gets another label."""
        self._develop({LABEL: label}, display_name=label)

    @precondition(lambda self: self.model.component.theirs is not None)
    @rule(label=labels)
    def developer_labels_field(self, label: str) -> None:
        """A field gets another label."""
        schema = dict(self._component()["schema"])
        schema["line"] = {**schema["line"], "display_name": label}
        self._develop({FIELD_LABEL: label}, schema=schema)

    @precondition(lambda self: self.model.component.theirs is not None)
    @rule()
    def developer_adds_field(self) -> None:
        """The component gets a field of its own, or loses it again."""
        schema = dict(self._component()["schema"])
        had = schema.pop("extra", None)
        if not had:
            schema["extra"] = {"type": "text", "pos": 90}
        self._develop({EXTRA: not had}, schema=schema)

    @precondition(lambda self: self.model.component.theirs is not None)
    @rule(really=st.integers(0, 2))
    def developer_deletes_component(self, really: int) -> None:
        """The component is deleted, which does not happen often."""
        if not really:
            self.world.api("DELETE", f"/components/{self._component()['id']}")
            component = self.model.component
            self.model.component = type(component)(component.base, component.ours, None)
            self.compare()

    @precondition(lambda self: self.model.files.there)
    @rule(n=numbers)
    def editor_deletes_asset(self, n: int) -> None:
        """An asset is deleted."""
        own = pick(sorted(self.model.files.there), n)
        self.world.api("DELETE", f"/assets/{own}")
        self.model.files = self.model.files.without(own)
        self.compare()

    @rule(n=numbers)
    def editor_restores_asset(self, n: int) -> None:
        """An asset comes back, as long as its file is known by it."""
        files = self.model.files
        gone = [
            file.asset_id
            for _, file in files.known
            if file.asset_id in self.world.space.deleted_assets
        ]
        own = pick(gone, n)
        if own:
            self.world.api("POST", "/assets/bulk_restore", {"ids": [own]})
            self.model.files = type(files)(files.known, files.there | {own})
            self.compare()

    @precondition(lambda self: self.settled)
    @rule(label=labels)
    def design_labels_component(self, label: str) -> None:
        """The design calls the component something else."""
        self.world.design(_LABEL, label)
        self.model.component = self.model.component.designed(label=label)

    @precondition(lambda self: self.settled)
    @rule(label=labels)
    def design_labels_field(self, label: str) -> None:
        """The design calls a field something else."""
        self.world.design(_FIELD_LABEL, label)
        self.model.component = self.model.component.designed(field_label=label)

    @precondition(lambda self: self.settled)
    @rule()
    def accept_proposals(self) -> None:
        """The design gets what the origin has more since, and nothing else."""
        before = {
            each.name: each.read_text()
            for each in (self.world.project / "decisions").glob("*.yaml")
            if each.name != "design.yaml"
        }
        ended = self.world.run("decide", "--accept-proposals", "--reviewer", "she")
        assert ended.code == 0, ended.err
        for name, text in before.items():
            after = (self.world.project / "decisions" / name).read_text()
            assert after == text, name
        if self.model.pulled_moody:
            self.model.component = self.model.component.designed(mood=True)

    def _component(self) -> Any:
        return self.world.space.component(NAME)

    def _develop(self, parts: dict[str, Any], **record: Any) -> None:
        number = self._component()["id"]
        self.world.api("PUT", f"/components/{number}", {"component": record})
        self.model.component = self.model.component.developed(parts)
        self.compare()
