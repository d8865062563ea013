from __future__ import annotations

import pytest

from cmsmig.sandbox.server import SAMPLE
from tests.sandbox.sample.reading import Sample, read_sample


@pytest.fixture(scope="session")
def sample() -> Sample:
    return read_sample(SAMPLE)
