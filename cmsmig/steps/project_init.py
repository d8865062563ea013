"""The start of a project folder: settings explained, tokens' place, notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from cmsmig.configuration.regions import ORIGIN_API_URL
from cmsmig.destination.assumed import STANDARD, Entry
from cmsmig.errors import StorageError
from cmsmig.settings import Project

_TOML = f"""\
# Settings of this migration. Every line that starts with "# name =" shows a
# default; take the "# " away to change it. An environment variable CMSMIG_NAME
# overrides the setting `name`, and so does the same line in .env.
# Tokens are never here: they go into .env, which is not committed.

# ---- The origin: where the content comes from -------------------------------

# The address of its API, with or without /v2.
# origin_api_url = "{ORIGIN_API_URL}"

# The site's plan: starter, basic, cms, ecommerce or business. Without it the
# pull starts at 60 requests per minute and adopts what the service answers.
# origin_plan = "cms"

# The origin's token goes to the service's own host and to this machine. Another
# host has to be set where the token is set, or be confirmed here by its name.
# origin_token_for = "api.example.com"

# Requests per minute; overrides the plan.
# origin_rate = 120

# The site's id. Not needed when the token sees one site.
# site_id = "0123456789abcdef01234567"

# ---- The destination: where the content goes --------------------------------

# The number of the space, from its settings page.
# space_id = "123456"

# The address of its API, with or without /v1. Without it the region of the space
# is read from the space's number.
# destination_base_url = "https://mapi.storyblok.com/v1"

# The same confirmation for the destination's token.
# destination_token_for = "mapi.example.com"

# The space's plan: starter, growth, growth_plus, premium or elite. Without it
# writes go at starter's 3 requests per second; every other plan allows 6.
# destination_plan = "starter"

# Requests per second; overrides the plan.
# destination_rate = 3

# Requests that may be open at once; the service refuses more than 30.
# in_flight = 12

# Minutes that a run waits for a host that answered before and cannot be reached, since
# the network or the lookup of names is away. It prints a line, and continues by itself.
# away_minutes = 10

# ---- Several destinations ---------------------------------------------------

# A project may name its destinations; then each of the settings above belongs to one
# of them, --target NAME chooses one, and each has a ledger of its own below targets/.
# The token of staging is CMSMIG_DESTINATION_TOKEN_STAGING, in .env.
#   [targets.staging]
#   space_id = "123456"
#   [targets.production]
#   space_id = "123457"
#   plan = "growth"
#   region = "eu"        or base_url, rate, token_for

# ---- Files ------------------------------------------------------------------

# Whether the optional finish call is sent after each upload. It costs one request
# of the budget per file; each file is proven on its public address either way.
# finish_uploads = false

# The largest file to carry over, in megabytes.
# asset_max_mb = 500

# Hosts besides the origin's own whose addresses are files to carry over.
# file_hosts = ["files.example.com"]

# ---- Rich text --------------------------------------------------------------

# A Python file in this folder with a rule of your own: a function `rule` that makes a
# block of an element. It is run; without this line none is.
# richtext.rules = "rules.py"

# ---- This machine -----------------------------------------------------------

# The folder where runs on this machine share the budget of requests.
# state_dir = "~/.local/state/cmsmig"

# ---- What the service's documentation and its clients disagree about ---------

# Each line is what is assumed; change one only when the service refuses it.
# [assumed]
"""

_ENV = """\
# Copy this file to .env and fill in the tokens. .env is not committed.

# The origin: the site's settings, Apps and integrations, API access. The token
# needs the scopes sites:read and cms:read.
CMSMIG_ORIGIN_TOKEN=

# The destination: the account's settings, personal access tokens. The token must
# be allowed to read and to write content in the space.
CMSMIG_DESTINATION_TOKEN=
"""

_GITIGNORE = """\
# What the origin answered and the files it serves: pulled again at any time.
/raw/
/files/
# What has been written so far: of this machine, and not mergeable.
/ledger*
/targets/*/ledger*
/targets/*/reports/
# What follows from all the rest: cmsmig can make it again at any time.
/derived*
# The pages of the old site, which the new one is compared with: keep the file.
/baseline*
# What runs leave: keep the last one with the project's records.
/reports/
# Lists that were saved in the notebooks: the origin's content.
/lists/
# A rehearsal's sandbox: its state, ports and tokens.
/sandbox/
# Which notebooks were open, and copies that JupyterLab makes.
/.lab/
.ipynb_checkpoints/
# Who signs decisions here, for the notebooks.
/reviewer.txt
# What notebook 02 can undo.
/decision_undo.json
/design_undo.json
# Tokens.
.env
"""


@dataclass(frozen=True, slots=True)
class InitReport:
    """What `init` did, in paths below the project folder."""

    written: tuple[str, ...]
    kept: tuple[str, ...]
    """Files that were there already; they are as they were."""


def start_project(project: Project, notebooks: Path | None = None) -> InitReport:
    """Write the files of a new project folder; change none that is there.

    Makes the folder, and lays copies of the numbered notebooks in `notebooks` into
    it. Raises `StorageError`.
    """
    return _lay(project, [*_new_files(), *_copies(notebooks)])


def lay_notebooks(project: Project, notebooks: Path) -> InitReport:
    """Lay copies of numbered notebooks into a project; change none that is there.

    Raises `StorageError`.
    """
    return _lay(project, _copies(notebooks))


def next_steps(project: Project) -> list[str]:
    """Return what to do in a project folder that was started, in sentences."""
    if project.env.is_file():
        first = f"next: {project.env.absolute()} is there: run `cmsmig check`"
    else:
        first = (
            f"next: copy .env.example to {project.env.absolute()} and put both tokens "
            "in it, the number of the space into cmsmig.toml; then `cmsmig check`"
        )
    return [first, "`cmsmig lab` opens this project's notebooks"]


def _lay(project: Project, files: Iterable[tuple[str, bytes]]) -> InitReport:
    written: list[str] = []
    kept: list[str] = []
    for name, content in files:
        was_written = _write_new(project.root / name, content)
        (written if was_written else kept).append(name)
    return InitReport(tuple(written), tuple(kept))


def _new_files() -> Iterator[tuple[str, bytes]]:
    assumed = "".join(_assumed_lines(STANDARD.entries()))
    yield "cmsmig.toml", (_TOML + assumed).encode()
    yield ".env.example", _ENV.encode()
    yield ".gitignore", _GITIGNORE.encode()


def _copies(notebooks: Path | None) -> Iterator[tuple[str, bytes]]:
    found = [] if notebooks is None else sorted(notebooks.glob("[0-9][0-9]_*.ipynb"))
    for notebook in found:
        yield f"notebooks/{notebook.name}", notebook.read_bytes()


def _assumed_lines(entries: Iterable[Entry]) -> Iterator[str]:
    for entry in entries:
        yield f"\n# {entry.meaning}\n"
        yield f"# One of: {', '.join(entry.choices)}.\n"
        yield f"# Source: {entry.source}.\n"
        yield f'# {entry.name} = "{entry.value}"\n'


def _write_new(path: Path, content: bytes) -> bool:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            file.write(content)
    except FileExistsError:
        if path.exists():
            return False
        raise _unwritable(path, "a file is in the way") from None
    except OSError as error:
        raise _unwritable(path, error.strerror or str(error)) from error
    return True


def _unwritable(path: Path, reason: str) -> StorageError:
    return StorageError(
        f"{path} cannot be written ({reason}); free space or choose another project "
        "folder with --project."
    )
