"""The command line: one thin handler for each command, and what a terminal shows."""

from cmsmig.cli.program import main

__all__ = ["main"]
