from __future__ import annotations

import pytest

from cmsmig.sandbox.sample.build import write_sample
from tests.support.sandbox.sample_reading import Sample, read_sample


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    folder = tmp_path_factory.mktemp("sample")
    write_sample(folder)
    return read_sample(folder)
