"""Tests of the steps."""

import pytest

pytest.register_assert_rewrite("tests.support.steps")
