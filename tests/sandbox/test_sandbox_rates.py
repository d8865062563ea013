from __future__ import annotations

import asyncio

import httpx


def test_a_second_holds_the_rate_and_no_more(desks, clock):
    """The seventh call of one clock second is refused with the documented text."""
    with desks(rate=6, clock=clock) as desk:
        replies = [desk.space.get("") for _ in range(8)]
        assert [reply.status_code for reply in replies] == [200] * 6 + [429] * 2
        expected = "Rate limit of 6 request per second reached. Retry later."
        assert replies[6].json() == {"error": expected}
        assert "retry-after" not in replies[6].headers
        clock.now = float(int(clock.now) + 1)
        assert desk.space.get("").status_code == 200


def test_the_window_is_the_clock_second(desks, clock):
    """Around the turn of a second twice the rate is taken, as by a fixed window."""
    clock.now = 1000.99
    with desks(rate=2, clock=clock) as desk:
        first = [desk.space.get("").status_code for _ in range(2)]
        clock.now = 1001.0
        second = [desk.space.get("").status_code for _ in range(3)]
        assert first + second == [200, 200, 200, 200, 429]


def test_reads_writes_and_signing_share_one_budget(desks, clock):
    """Lists, creates and signing requests all draw on the same count."""
    with desks(rate=3, clock=clock) as desk:
        desk.space.get("/stories")
        desk.folder("one")
        desk.sign()
        refused = desk.space.post("/assets", json={"filename": "b.png"})
        assert refused.status_code == 429
        quota = [e.quota for e in desk.handle.state.recorder.entries]
        assert quota == [True] * 4


def test_uploads_and_public_files_are_free(desks, clock):
    """Uploads and public addresses go on when the budget is used up."""
    with desks(rate=1, clock=clock) as desk:
        signed = desk.sign()
        assert desk.space.get("").status_code == 429
        assert desk.upload(signed).status_code == 204
        assert desk.public.get(signed["public_url"]).status_code == 200
        quota = [e.quota for e in desk.handle.state.recorder.entries]
        assert quota == [True, True, False, False]


def test_a_refused_write_is_not_applied(desks, clock):
    """A create that met 429 left nothing behind."""
    with desks(rate=1, clock=clock) as desk:
        desk.space.get("")
        assert desk.story("late", {"component": "x"}).status_code == 429
        assert not desk.handle.state.space.stories


async def test_too_many_at_once_are_refused(desks):
    """Beyond the cap of concurrent requests the service answers 429."""
    with desks(latency=0.4, in_flight=3) as desk:
        said = desk.handle.announcement
        headers = {"Authorization": said["destination_token"]}
        url = f"{said['base_url']}/spaces/{said['space_id']}"
        async with httpx.AsyncClient(headers=headers) as client:
            replies = await asyncio.gather(*(client.get(url) for _ in range(6)))
        statuses = sorted(reply.status_code for reply in replies)
        assert statuses == [200] * 3 + [429] * 3
        assert desk.handle.state.api.in_flight.now == 0


def test_the_real_defaults(desks, content):
    """Without a choice the rates and the cap are the services' own."""
    from cmsmig.sandbox.server import SandboxOptions

    options = SandboxOptions()
    assert (options.rate, options.origin_rate, options.in_flight) == (6, 60, 30)
