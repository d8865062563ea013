"""What a project's rules file imports. A name in here never moves."""

from cmsmig.richtext.custom.rules import Tag, component, rule

__all__ = ["Tag", "component", "rule"]
