"""Tests, and what they share; asserts of what they share are explained, too."""

import pytest

pytest.register_assert_rewrite("tests.support")
