"""How long a test waits for what has to come."""

PATIENCE = 90.0
"""Seconds. What comes at once on an idle machine may take long on one that does ten
things besides; what does not come at all fails all the same."""
