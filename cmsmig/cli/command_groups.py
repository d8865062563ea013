"""`cmsmig --help`: the commands in the order of the work, in groups."""

from __future__ import annotations

import click

GROUPS = {
    "Start": ("init", "check"),
    "Migrate": ("pull", "decide", "decisions", "clean", "plan", "import"),
    "Parts of an import": ("prepare", "create", "link", "publish"),
    "Prove": (
        *("baseline", "changes", "verify", "checklist"),
        *("status", "rebuild", "rollback"),
    ),
    "Notebooks": ("lab", "run", "demo"),
    "Tools": ("convert", "render", "schema", "sandbox"),
}
"""Every command once."""


class OrderedGroup(click.Group):
    """A group of commands that lists them by `GROUPS`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands in the order of the work."""
        ordered = [name for names in GROUPS.values() for name in names]
        return [*ordered, *(set(super().list_commands(ctx)) - set(ordered))]

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write one list for each group."""
        longest = max(map(len, self.list_commands(ctx)))
        limit = formatter.width - 6 - longest
        for title, names in GROUPS.items():
            rows = [
                (name.ljust(longest), command.get_short_help_str(limit))
                for name in names
                if (command := self.get_command(ctx, name)) is not None
            ]
            with formatter.section(title):
                formatter.write_dl(rows)
