"""What notebook 01 calls.

Names in here never move: projects keep their notebooks.
"""

from cmsmig.notebook.inspect.inspection import (
    choose_item_sets,
    collections_table,
    not_migratable,
    pull_origin,
    reference_report,
    richtext_census,
    states_chart,
)

__all__ = [
    "choose_item_sets",
    "collections_table",
    "not_migratable",
    "pull_origin",
    "reference_report",
    "richtext_census",
    "states_chart",
]
