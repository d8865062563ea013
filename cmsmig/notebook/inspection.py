"""What notebook 01 calls.

Names in here never move: projects keep their notebooks.
"""

from cmsmig.notebook.inspect.inspection import (
    choose_item_sets,
    collections_table,
    explore_items,
    not_migratable,
    pull_origin,
    reference_report,
    richtext_census,
    states_chart,
    static_pages,
)
from cmsmig.notebook.kit.change_choices import show_changes

__all__ = [
    "choose_item_sets",
    "collections_table",
    "explore_items",
    "not_migratable",
    "pull_origin",
    "reference_report",
    "richtext_census",
    "show_changes",
    "states_chart",
    "static_pages",
]
