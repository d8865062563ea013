"""`cmsmig --help`: every command in one group, in the order of the work."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from cmsmig.cli import commands
from cmsmig.terminal.command_groups import GROUPS, OrderedGroup


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


@pytest.mark.parametrize("hidden", ["zebra", "ant"])
def test_a_command_without_a_group_can_still_be_called(hidden: str) -> None:
    """It is listed after the others, so that completion finds it."""

    @click.group(cls=OrderedGroup)
    def tools() -> None:
        """Do things."""

    @tools.command(hidden)
    def command() -> None:
        """Do one thing."""
        click.echo("done")

    context = click.Context(tools)
    assert tools.list_commands(context)[-1] == hidden
    assert CliRunner().invoke(tools, [hidden]).output == "done\n"
