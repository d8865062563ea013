"""The converter's proofs: `python -m tests.proofs.converter PART --help`.

conformance   ours against the official converter, live; needs Node
conservation  the account of bodies of any kind, and of real sites
crosscheck    every body of real sites against the official converter; needs Node
extremes      too much of anything, and how the time of each construct grows
fuzz          mutated bodies: nothing raises, hangs or is lost
"""

from __future__ import annotations

import importlib
import sys

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in str(__doc__).split():
        sys.exit(__doc__)
    part = importlib.import_module(f"tests.proofs.converter.{sys.argv[1]}")
    sys.exit(part.main(sys.argv[2:]))
