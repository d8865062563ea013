"""`cmsmig --help`: every command in one group, in the order of the work."""

from __future__ import annotations

from click.testing import CliRunner

from cmsmig.cli.command_groups import GROUPS
from cmsmig.cli.program import commands


def test_every_command_is_in_one_group() -> None:
    """A command that no group names would be missing from the help."""
    named = [name for names in GROUPS.values() for name in names]
    assert sorted(named) == sorted(commands.commands)


def test_the_help_lists_the_groups_in_order() -> None:
    """Each group has its title, and under it its commands with their sentences."""
    shown = CliRunner().invoke(commands, ["--help"]).output
    titles = [shown.index(f"{title}:") for title in GROUPS]
    assert titles == sorted(titles)
    for name in commands.commands:
        assert shown.count(f"\n  {name} ") == 1
