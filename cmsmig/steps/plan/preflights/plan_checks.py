"""The checks of a plan before an import: what the space lacks or would refuse, limits,
counts, deliveries and releases; and what they read of the destination.

A folder is read where stories are to be created in it, the webhooks where something is
to be published, the releases always, since editors may add stories to one at any time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from cmsmig.canonical import JsonObject
from cmsmig.counting import and_more, counted, first_of, noun_for
from cmsmig.destination.client import DestinationClient
from cmsmig.destination.typed_records import Space, StoryRow, pages
from cmsmig.errors import CredentialsError, NotFoundError
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.decisions.design import ContentTypeDesign, Encoding, FieldDesign
from cmsmig.settings import Settings
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.drafts.offline_drafts import OfflineDrafts
from cmsmig.steps.plan.preflights.findings import (
    LIMITS,
    Count,
    Preflight,
    PreflightKind,
    Refused,
    count_all,
    file_totals,
    find_limits,
    verification_calls,
)
from cmsmig.steps.snapshot import (
    FolderRule,
    Snapshot,
)
from cmsmig.steps.token_check import expiry_sentences, missing_sentences
from cmsmig.steps.worker_pool import together

_PUBLISHED: Final = "story.published"


@dataclass(frozen=True, slots=True)
class PlanChecks:
    """What a plan reports before an import."""

    findings: tuple[Preflight, ...] = ()
    counts: tuple[Count, ...] = ()
    """What the space would hold and need."""
    sizes: JsonObject = field(default_factory=dict)
    """Of the files: how many, bytes in all, the largest."""
    verification_calls: int = 0
    """Calls that reading everything back takes, once."""

    @classmethod
    def of(
        cls,
        migration: Migration,
        snapshot: Snapshot,
        settings: Settings,
        refused: Refused,
        calls: Mapping[str, int],
        publishes: int,
        hooks: Sequence[Preflight],
    ) -> PlanChecks:
        """Return it for an import that makes these calls. Reads only."""
        counts = count_all(snapshot, settings, calls)
        shown = publishes + calls.get("unpublish_stories", 0)
        rights = snapshot.rights
        reading = verification_calls(snapshot, calls)
        whole = sum(calls.values()) + reading
        lacking = missing_sentences(
            rights, settings.space_id, "import", publishes=bool(shown)
        )
        ending = expiry_sentences(rights, whole, settings.destination_rate)
        return cls(
            findings=(
                *(
                    Preflight(kind=PreflightKind.TOKEN, text=text)
                    for text in (*lacking, *ending)
                ),
                *(
                    Preflight(kind=PreflightKind.LANGUAGE, text=text)
                    for text in filter(None, [missing_languages(migration, snapshot)])
                ),
                *refused.findings,
                *find_limits(migration, snapshot.space, counts),
                *find_asset_fields(
                    migration, snapshot.space, calls.get("sign_uploads", 0)
                ),
                *find_entry_names(migration, snapshot),
                *hooks,
            ),
            counts=counts,
            sizes=file_totals(migration),
            verification_calls=reading,
        )

    @property
    def limits(self) -> tuple[str, ...]:
        """Return where the service's plan would be exceeded, a sentence each."""
        return tuple(each.text for each in self.findings if each.kind in LIMITS)

    @property
    def refusal(self) -> str:
        """Return why an import would write nothing, for an editor; empty where it
        would."""
        texts = (e.text for e in self.findings if e.kind is PreflightKind.LANGUAGE)
        return next(texts, "")

    def as_json(self) -> JsonObject:
        """Return what `plan --json` prints of it."""
        return {
            "limits": list(self.limits),
            "preflights": [each.as_json() for each in self.findings],
            "counts": {each.what: each.as_json() for each in self.counts},
            "sizes": self.sizes,
            "verification_calls": self.verification_calls,
        }


NO_CHECKS: Final = PlanChecks()
_REFUSED_FIRST: Final = ("-", "=", "@")
"""A name may hold these anywhere but at its beginning. Source: destination,
datasource entries."""


def find_entry_names(migration: Migration, snapshot: Snapshot) -> Iterator[Preflight]:
    """Yield a finding for each field with options that the destination refuses as
    entries of its datasource. Entries that the datasource already has pass."""
    for content_type in migration.design.content_types:
        if not migration.design.makes(content_type.component):
            continue
        for each in content_type.fields:
            if each.encoding is Encoding.OPTION_DATASOURCE:
                yield from _refused_entries(content_type, each, snapshot)


def _refused_entries(
    content_type: ContentTypeDesign, design: FieldDesign, snapshot: Snapshot
) -> Iterator[Preflight]:
    there = {each.name for each in snapshot.entries.get(design.datasource, ())}
    names = [
        label
        for _, label in design.options
        if label.startswith(_REFUSED_FIRST) and label not in there
    ]
    if not names:
        return
    listed = ", ".join(f"`{name}`" for name in names)
    entries = noun_for(len(names), "entry", "entries")
    yield Preflight(
        kind=PreflightKind.ENTRY_NAME,
        text=(
            f"The service refuses the {entries} {listed} of the datasource "
            f"`{design.datasource}` (field `{design.origin}` of "
            f"`{content_type.collection_slug}`), because a name must not begin with "
            "`-`, `=` or `@`; give the option another label in notebook 02 or in "
            "decisions/design.yaml, or rename it at the origin and pull again."
        ),
        collection=content_type.collection_slug,
        field=design.key,
        component=content_type.component,
        count=len(names),
    )


def missing_languages(migration: Migration, snapshot: Snapshot) -> str:
    """Return why an import would write nothing where the space lacks languages of
    translated fields, a sentence with all of them; empty where it lacks none.

    Source: destination, content rules: the space must list the language; without it
    the values are kept, and no visitor sees them.
    """
    there = {_plain(code) for code in snapshot.space.languages}
    lacking = [
        each
        for each in migration.decisions.collections.translations
        if _plain(each.code) not in there
    ]
    if not lacking:
        return ""
    named = ", ".join(snapshot.space.languages) or "only the default one"
    codes = ", ".join(f"`{each.code}` ({each.name or each.tag})" for each in lacking)
    noun, them = ("language", "it") if len(lacking) == 1 else ("languages", "them")
    return (
        f"The space has no {noun} {codes}; it has {named}. An import writes nothing as "
        f"long as that is so, since no visitor would see the values in {them}: add "
        f"{them} in the space's settings under Internationalization, or decide "
        "another code as `language` of the locale in decisions/collections.yaml."
    )


def _plain(code: str) -> str:
    return code.replace("_", "-").lower()


def find_asset_fields(
    migration: Migration, space: Space, uploads: int
) -> Iterator[Preflight]:
    """Yield the fields that the space requires of assets and that files lack.

    An import gives a file no field but `alt`. Source: destination, space.
    """
    files = migration.files.uploads if uploads else ()
    for name in space.required_asset_fields:
        lacking = [each.name for each in files if name != "alt" or not each.alt]
        if lacking:
            yield Preflight(
                kind=PreflightKind.ASSET_FIELD,
                text=(
                    f"The space requires `{name}` of an asset, and "
                    f"{counted(len(lacking), 'file')} of {len(files):,} "
                    f"{noun_for(len(lacking), 'has', 'have')} none "
                    f"({', '.join(lacking[:3])}{and_more(len(lacking), 3)}); "
                    f"{_fill_in(name)}, or take the requirement off in the space's "
                    "settings until the import is over. Whether the service refuses "
                    "such a file is not documented."
                ),
                field=name,
                count=len(lacking),
            )


def _fill_in(name: str) -> str:
    if name == "alt":
        return "write the alternative texts in the origin and pull again"
    return "fill it in there after the import"


async def read_folder_rules(
    client: DestinationClient,
    snapshot: Snapshot,
    offline: OfflineDrafts,
    creating: Iterable[ItemKey],
) -> Snapshot:
    """Return the snapshot with the rules of the folders that decide about the stories
    to be created."""
    paths: set[str] = set()
    for key in creating:
        path = offline.context.places[key].folder
        while path and path not in paths:
            paths.add(path)
            path = path.rpartition("/")[0]
    folders = [snapshot.folder(path) for path in sorted(paths)]
    found = [row for row in folders if row is not None]
    rules = await together(_read_rule(client, each) for each in found)
    by_path = {rule.path: rule for rule in rules if rule is not None}
    snapshot = snapshot.with_calls({"read_folders": len(found)})
    return replace(snapshot, folder_rules=by_path)


async def _read_rule(client: DestinationClient, row: StoryRow) -> FolderRule | None:
    story = await client.find_story(row.story_id)
    content = story.content if story is not None else {}
    types = content.get("content_types")
    if not isinstance(types, list) or not types:
        return None
    return FolderRule(
        path=row.full_slug.strip("/"),
        content_types=frozenset(map(str, types)),
        locks_below=content.get("lock_subfolders_content_types") is True,
    )


async def find_hooks(
    client: DestinationClient, ledger: Ledger, publishes: int
) -> tuple[tuple[Preflight, ...], dict[str, int]]:
    """Return what publishing so many stories triggers and which pending releases would
    replace stories of ours, and the calls that looking took."""
    deliveries = await _find_deliveries(client, publishes) if publishes else ()
    releases, listed = await _find_releases(client, ledger.items.all())
    calls = {
        "read_webhooks": int(bool(publishes)),
        "read_releases": 1,
        "list_released_stories": listed,
    }
    return (*deliveries, *releases), calls


async def _find_deliveries(
    client: DestinationClient, publishes: int
) -> tuple[Preflight, ...]:
    """Return how many deliveries publishing triggers, and to which hosts.

    Source: destination, webhooks: one delivery for each story that is published.
    """
    stories = counted(publishes, "story", "stories")
    try:
        webhooks = await client.webhooks()
    except (CredentialsError, NotFoundError):
        text = (
            "The webhooks of the space could not be read, since the token's role may "
            "not see them; ask an administrator of the space what publishing "
            f"{stories} triggers."
        )
        return (Preflight(kind=PreflightKind.NOT_READ, text=text),)
    notified = [e for e in webhooks if e.activated and _PUBLISHED in e.actions]
    if not notified:
        return ()
    hosts = ", ".join(sorted({each.host or "an unnamed host" for each in notified}))
    deliveries = publishes * len(notified)
    text = (
        f"Publishing {stories} triggers "
        f"{counted(deliveries, 'delivery', 'deliveries')} of webhooks, to {hosts}; "
        "switch those webhooks off in the space for the time of the import if nothing "
        "is to be built or sent for each story."
    )
    return (Preflight(kind=PreflightKind.WEBHOOKS, text=text, count=deliveries),)


_SHOWN = 3


async def _find_releases(
    client: DestinationClient, rows: Mapping[ItemKey, ItemRow]
) -> tuple[list[Preflight], int]:
    """Return each pending release with the stories of ours that it would replace, and
    how many calls listing their stories took. A service without releases has none.

    Source: destination, releases: the versions in a release are records of their own,
    which a draft that is written meanwhile does not change. Pending is what was not
    released, and `in_release` filters stories.
    """
    records = [row.story_record for row in rows.values() if row.story_record]
    own = {each.story_id: each.full_slug for each in records}
    found: list[Preflight] = []
    calls = 0
    try:
        pending = [each for each in await client.releases() if not each.released]
        for each in pending:
            held: list[StoryRow] = []
            if own:
                held = await client.stories(in_release=each.release_id)
                calls += pages(len(held))
            paths = sorted(own[row.story_id] for row in held if row.story_id in own)
            text = _text(each.name, each.release_at, paths)
            kind = PreflightKind.RELEASE
            found.append(Preflight(kind=kind, text=text, count=len(paths)))
    except CredentialsError:
        text = (
            "The releases of the space could not be read, because the token may not "
            "see them; ask an administrator of the space which releases are not "
            "deployed yet: deploying one replaces the drafts of its stories."
        )
        found = [Preflight(kind=PreflightKind.NOT_READ, text=text)]
    except NotFoundError:
        found = []
    return found, calls


def _text(name: str, release_at: str, paths: Sequence[str]) -> str:
    when = f", planned for {release_at}," if release_at else ""
    named = f"The release `{name}`{when} is not deployed yet"
    if not paths:
        return (
            f"{named} and holds no story of this import. Deploying it replaces the "
            "drafts of its stories as a whole: add none of this import to it."
        )
    shown = first_of([f"`{path}`" for path in paths], _SHOWN)
    return (
        f"{named} and holds {counted(len(paths), 'story', 'stories')} of this import "
        f"({shown}). Deploying it replaces their drafts as a whole, with all that was "
        "imported since: deploy or delete the release before the import, or import "
        "again after it was deployed."
    )
