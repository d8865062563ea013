from __future__ import annotations

import pytest

from cmsmig.sandbox.server import SAMPLE
from tests.sandbox.sample.reading import Sample, read_sample
from tests.support.sites.localized import write_localized_sample


@pytest.fixture(scope="session")
def sample() -> Sample:
    return read_sample(SAMPLE)


@pytest.fixture(scope="session")
def localized(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    folder = tmp_path_factory.mktemp("localized") / "content"
    write_localized_sample(folder)
    return read_sample(folder)
