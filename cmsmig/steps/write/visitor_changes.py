"""What visitors will see change, read through the delivery side for a dry run. Reads
only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cmsmig.destination.delivery import READ_TOGETHER
from cmsmig.errors import ServiceError
from cmsmig.steps.connect import open_delivery
from cmsmig.steps.plan.publication.public_versions import VisitorPages
from cmsmig.steps.plan.publication.publications import PageChange, Publication
from cmsmig.steps.write.import_job import ImportJob


async def with_fields(
    job: ImportJob, publications: Sequence[Publication]
) -> tuple[Publication, ...]:
    """Return publications with the fields that change for visitors, where they know
    the page; as they are where the delivery side cannot be read."""
    known = [each for each in publications if each.change is PageChange.RENEWED]
    if not known:
        return tuple(publications)
    try:
        fields = await _fields(job, known)
    except ServiceError:
        return tuple(publications)
    return tuple(
        replace(each, fields=fields.get(each.full_slug)) for each in publications
    )


async def _fields(
    job: ImportJob, known: Sequence[Publication]
) -> dict[str, tuple[str, ...]]:
    existing, rows = job.existing(), job.ledger.items.all()
    pages = VisitorPages(job.linked(existing), job.public_versions(existing))
    found: dict[str, tuple[str, ...]] = {}
    async with open_delivery(
        job.settings, job.snapshot.space, job.observer
    ) as delivery:
        await delivery.renew()
        for at in range(0, len(known), READ_TOGETHER):
            part = {
                home.uuid: each
                for each in known[at : at + READ_TOGETHER]
                if (home := rows[each.key].home) is not None
            }
            there = await delivery.published([*part])
            for uuid, story in there.stories.items():
                each = part[uuid]
                unmet = pages.unmet(each.key, story)
                found[each.full_slug] = tuple(field.key for field in unmet)
    return found
