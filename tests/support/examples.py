"""What Hypothesis draws: the same for a test in every selection, order and process.

By default it would also draw constants of those modules of ours that happen to be
imported by then, continue where an earlier run failed, and begin with a seed of the
process. And it would call a test slow by the wall clock.
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

NOTHING_FOUND = Constants()
ALWAYS_THE_SAME = "always-the-same"
NEW_EACH_TIME = "new-each-time"
"""New draws with `make test OPTIONS=--hypothesis-profile=new-each-time`."""


def draw_the_same_always() -> None:
    """Make every property test of this process draw what its own code decides."""
    # There is no setting for it; without this name a test of ours fails.
    providers._get_local_constants = lambda: NOTHING_FOUND
    settings.register_profile(
        NEW_EACH_TIME,
        derandomize=False,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.register_profile(
        ALWAYS_THE_SAME, settings.get_profile(NEW_EACH_TIME), derandomize=True
    )
    settings.load_profile(ALWAYS_THE_SAME)
