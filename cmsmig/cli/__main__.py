"""`python -m cmsmig.cli` is `cmsmig`."""

from cmsmig.cli import main

main()
