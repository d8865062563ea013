"""HTTP to the services. What the HTTP libraries import for others is left out here."""

import sys
from importlib.util import find_spec

# The command line of httpx, with its colours: a tenth of each of our starts.
sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]
if find_spec("sniffio") is None:
    # httpcore looks for this library at every request, in every folder of the path:
    # that it is not installed is found out once.
    sys.modules.setdefault("sniffio", None)  # type: ignore[arg-type]
