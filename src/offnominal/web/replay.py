"""Replay: an episode with a fault beside its nominal twin, made again from the keys in the address."""

from __future__ import annotations

import logging
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from offnominal.alarms.catalogue import alarms
from offnominal.core.errors import InvalidState, OffnominalError, UnknownName
from offnominal.web.fault_choices import fault_choices
from offnominal.web.monitor_choice import DEFAULT_WORLD, detector_choices, offered_worlds, policies_of
from offnominal.web.page import page
from offnominal.web.part import Part
from offnominal.web.replay_episode import SIDES, Replay, make_replay
from offnominal.web.replay_key import ReplayKey
from offnominal.worlds.catalogue import worlds

TITLE = "Replay"
KEPT = 12
MOST_WAITING = 4
LOGGER = logging.getLogger("offnominal.web")


class Job:
    """A replay that is being made, or was.

    Args:
        key: Its key.
    """

    def __init__(self, key: ReplayKey) -> None:
        self.key = key
        self.text, self.share = "Waiting", 0.0
        self.future: Future[Replay] | None = None

    def report(self, text: str, share: float) -> None:
        """Note the progress."""
        self.text, self.share = text, share

    @property
    def running(self) -> bool:
        """Whether it is not finished."""
        return self.future is None or not self.future.done()


class Replays:
    """The last replays, made one at a time.

    Args:
        folder: Folder of fitted detectors; see :func:`~offnominal.web.nominal_fit.fit_nominal`.
        kept: Number of replays that are kept.
    """

    def __init__(self, folder: Path | None = None, *, kept: int = KEPT) -> None:
        self.folder, self.kept = folder, kept
        self.jobs: OrderedDict[ReplayKey, Job] = OrderedDict()
        self._lock = Lock()
        self._worker = ThreadPoolExecutor(1, "replay")

    def job(self, key: ReplayKey) -> Job:
        """Return the job of a key; it is started if there is none.

        Raises:
            InvalidState: Too many replays wait to be made.
        """
        with self._lock:
            if key in self.jobs:
                self.jobs.move_to_end(key)
                return self.jobs[key]
            if sum(job.running for job in self.jobs.values()) >= MOST_WAITING:
                raise InvalidState(f"{MOST_WAITING} replays are being made; try again when one is finished.")
            job = self.jobs[key] = Job(key)
            job.future = self._worker.submit(make_replay, key, folder=self.folder, report=job.report)
            for old in [each for each, known in self.jobs.items() if not known.running][: len(self.jobs) - self.kept]:
                del self.jobs[old]
            return job


def replays(app: Starlette) -> Replays:
    """Return the replays of a server."""
    if not hasattr(app.state, "replays"):
        app.state.replays = Replays()
    found: Replays = app.state.replays
    return found


def replay_page(request: Request) -> Response:
    """Return the page of a replay, or of the choice of one."""
    return page(request, "replay.html.j2", title=TITLE, part=TITLE, script="replay.js", data=choices())


def choices() -> dict[str, Any]:
    """Return what can be chosen."""
    ids = offered_worlds()
    return {
        "worlds": [{"id": id, "summary": worlds.card(id).summary, "policies": policies_of(id)} for id in ids],
        "detectors": [each for each in detector_choices() if not each["images"]],
        "alarms": [{"id": spec.id, "summary": spec.summary} for spec in alarms],
        "defaults": ReplayKey(DEFAULT_WORLD).to_dict(),
    }


def replay_faults(request: Request) -> Response:
    """Return the faults of a world."""
    world = request.query_params.get("world", "")
    if world not in offered_worlds():
        raise UnknownName(f"no world {world[:60]!r} to replay.")
    card = worlds.card(world)
    return JSONResponse(
        {
            "faults": fault_choices(world),
            "observation": [str(channel) for channel in card.observation],
            "action": [str(channel) for channel in card.action],
        }
    )


def replay_data(request: Request) -> Response:
    """Return the scores of a replay, or how far it is."""
    try:
        job = replays(request.app).job(ReplayKey.from_query(request.query_params))
        if job.running or job.future is None:
            return JSONResponse({"text": job.text, "share": round(job.share, 3)}, 202)
        return Response(job.future.result().data, media_type="application/json")
    except OffnominalError as error:
        return _failed(type(error).__name__, str(error), 400)
    except Exception:
        LOGGER.exception("a replay failed")
        return _failed("Defect", "The server made an error. Its terminal shows the traceback.", 500)


def _failed(error: str, message: str, status: int) -> Response:
    return JSONResponse({"error": error, "message": message}, status)


def replay_sheet(request: Request) -> Response:
    """Return a sheet of pictures."""
    job = replays(request.app).job(ReplayKey.from_query(request.query_params))
    side, number = request.path_params["side"], request.path_params["number"]
    if job.running or job.future is None:
        raise InvalidState("the replay is not finished; ask for its data first.")
    sheets = job.future.result().sheets.get(side, []) if side in SIDES else []
    if not 0 <= number < len(sheets):
        raise UnknownName(f"no sheet {number} of {side[:20]!r}.")
    return Response(sheets[number], media_type="image/webp", headers={"cache-control": "private, max-age=3600"})


REPLAY = Part(
    TITLE,
    "replay",
    [
        Route("/replay", replay_page),
        Route("/replay/faults", replay_faults),
        Route("/replay/data", replay_data),
        Route("/replay/{side}/{number:int}.webp", replay_sheet),
    ],
    live=True,
)
