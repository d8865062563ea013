"""The safeguards that the mutants take out are still there to be taken out."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.proofs.mutants.mutant import Mutant
from tests.proofs.mutants.mutants import MUTANTS

TOP = Path(__file__).parent.parent


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda each: each.name)
def test_no_mutant_has_rotted(mutant: Mutant) -> None:
    """Each text that it replaces stands in the sources once, and what is left after
    it is Python."""
    for path, text in mutant.edited(TOP).items():
        if path.suffix == ".py":
            ast.parse(text)
