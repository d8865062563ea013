"""The state machine: editors on both sides and the operator, in any order."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import initialize

from tests.proofs.machine.developers import Developing
from tests.proofs.machine.editors import AtDestination, AtOrigin
from tests.proofs.machine.model import Account, Home
from tests.proofs.machine.operating import Running
from tests.proofs.machine.play import Play
from tests.proofs.machine.rolling_back import RollingBack
from tests.proofs.machine.site import KEY


class Migration(AtOrigin, AtDestination, Developing, Running, RollingBack):
    """One migration: whatever happens, commands do and tell what the model says."""

    @initialize(imported=st.booleans())
    def begin(self, imported: bool) -> None:
        """Begin before or after the first import."""
        Play.runs += 1
        self.world.begin(imported=imported)
        for own, stored in self.world.space.assets.items():
            name = stored.key.rpartition("/")[2]
            self.model.files = self.model.files.brought(name, own)
        if imported:
            places = {self._path(own): own for own in self.world.stories()}
            for key, note in self.model.pulled.items():
                own = places[f"{KEY}/{note.slug}"]
                uuid = self.world.space.stories[own].uuid
                story_record: Home = self.model.created(key, own, uuid)
                self.model.accounts[key] = Account(story_record)
            self.model.update()
            self.compare()

    def _path(self, own: int) -> str:
        path: str = self.world.space.full_slug(self.world.space.stories[own])
        return path
