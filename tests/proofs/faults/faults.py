"""Every fault and kill at every request of each command, and whether reruns mend it.

Each command is run undisturbed first, on a site of 30 items in two locales. Then, for
each of its requests and each fault of the sandbox, and for a kill before the request,
after it was applied and after its reply, it runs again from the same beginning; reruns
follow until it is done, and the resulting space is compared.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.proofs.faults.cases import Case, all_cases
from tests.proofs.faults.runs import attempt
from tests.proofs.faults.scenes import Scenes, prepared


@dataclass(frozen=True)
class Faults:
    """All cases, on situations that are prepared once."""

    scenes: Scenes

    def cases(self) -> Sequence[Case]:
        """Return all cases."""
        scenes = self.scenes.by_name.items()
        return [*all_cases({name: each.whole.entries for name, each in scenes})]

    def begin(self) -> None:
        """Work in a folder of this process's own from now on."""
        own = Path(tempfile.mkdtemp(dir=self.scenes.folder))
        self.scenes.world = self.scenes.world.moved(own / "work")

    def attempt(self, case: Case) -> list[str]:
        """Run one case and return what is wrong."""
        return attempt(case, self.scenes)


@contextmanager
def proof(work: Path) -> Iterator[Faults]:
    """Prepare the proof in an empty folder."""
    with prepared(work) as scenes:
        yield Faults(scenes)
