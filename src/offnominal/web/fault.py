"""Faults: formula, strengths, clip, all detectors, delay curves."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from offnominal.anomalies.schedule import Schedule
from offnominal.core.errors import MissingFile, OffnominalError, UnknownName
from offnominal.core.files import read_json, write_json
from offnominal.reports.clip import write_clip
from offnominal.studies.named_policy import acting_policy
from offnominal.web.best_detectors import best_text
from offnominal.web.compare import comparable_runs
from offnominal.web.fault_description import describe_fault, strengths_of_fault
from offnominal.web.library import Library, Run, slug
from offnominal.web.page import jobs_of, library_of, page, settings_of
from offnominal.web.part import Part
from offnominal.web.run_data import run_data
from offnominal.web.study_cell import detection_curves, fault_of, study_cell

TITLE = "Faults"
CHEAP = 20.0
"""CPU seconds to fit and score up to which a delay curve is computed without being asked for."""
CLIP_ONSET, CLIP_STEPS, CLIP_SIZE = 8, 60, 240
"""A clip is short, and its fault early, so that an export of many faults takes minutes instead of an hour."""


def faults(request: Request) -> Response:
    """Return the list of the faults of a run, of the last one if none is named."""
    library = library_of(request)
    named = request.path_params.get("run")
    runs = comparable_runs(library)
    run = library.run(named) if named else next(iter(runs), None)
    data = None if run is None else run_data(library, run)
    if run is None or data is None:
        message = "A run of a study on faults is needed. `offnominal quickstart` makes one."
        return page(request, "error.html.j2", title="No faults", part=TITLE, message=message)
    worlds: dict[str, dict[str, dict[str, Any]]] = {}
    for number, fault in enumerate(data["faults"]):
        about = describe_fault(_world_id(fault["world"]), fault["anomaly"])
        entry = worlds.setdefault(fault["world"], {}).setdefault(
            fault["anomaly"], {"id": fault["id"], "about": about, "levels": []}
        )
        entry["levels"].append({"variant": fault["variant"], "best": _best(data, number)})
    return page(
        request, "faults.html.j2", title=f"Faults of {run.study}", part=TITLE, run=run, runs=runs, worlds=worlds
    )


def _world_id(label: str) -> str:
    """Return the id of a world from its label, which has the policy where a world has several."""
    return label.partition(" (")[0]


def _best(data: dict[str, Any], number: int) -> dict[str, str] | None:
    """Return the best detectors of a fault by the first metric, and their numbers."""
    cells, best = data["numbers"][data["metrics"][0]["name"]][number], data["best"][number]
    return best_text([data["names"][index] for index in best], [cells[index][0] for index in best]) if best else None


def fault(request: Request) -> Response:
    """Return the page of a fault."""
    library = library_of(request)
    run, found = _found(request)
    data = run_data(library, run)
    assert data is not None
    first = found[0]
    world, anomaly = _world_id(first["world"]), first["anomaly"]
    numbers = [data["faults"].index(each) for each in found]
    names = data["names"]
    cells = data["cells"].get(first["world"], {})
    keys = {name: cells[name][0][0] for name in names if name in cells}
    static = settings_of(request).static
    shown = {
        "id": run.id,
        "fault": first["id"],
        "world": first["world"],
        "world_id": world,
        "anomaly": anomaly,
        "seeds": [_example_seed(library, run, each) for each in found],
        "variants": [each["variant"] or each["split"] for each in found],
        "splits": [each["split"] for each in found],
        "clips": [slug(each["variant"] or each["split"]) for each in found],
        "names": names,
        "colours": data["colours"],
        "baselines": data["baselines"],
        "half_missed": data["half_missed"],
        "metrics": data["metrics"],
        "numbers": {name: [rows[number] for number in numbers] for name, rows in data["numbers"].items()},
        "timing": {
            "columns": data["timing"]["columns"],
            "default": data["timing"]["default"],
            "alarms": {alarm: [rows[number] for number in numbers] for alarm, rows in data["timing"]["alarms"].items()},
        },
        "cells": cells,
        "strengths": strengths_of_fault(world, anomaly),
        "about": asdict(describe_fault(world, anomaly)),
        "seconds": _seconds(library, run, keys),
        "curves": {name: _of_fault(_stored_curves(library, key), found) for name, key in keys.items()},
        "episodes": [recorded_episode(library.results(run).examples, each["split"], keys) for each in found],
        "cheap": CHEAP,
        "static": static,
    }
    others = {each["id"]: each["anomaly"] for each in data["faults"] if each["world"] == first["world"]}
    same = {each["world"]: each["id"] for each in data["faults"] if each["anomaly"] == anomaly}
    return page(
        request,
        "fault.html.j2",
        title=f"{anomaly} in {first['world']}",
        part=TITLE,
        script="fault.js",
        data=shown,
        run=run,
        fault=first,
        about=shown["about"],
        strengths=shown["strengths"],
        others=others,
        same=same,
    )


def _found(request: Request) -> tuple[Run, list[dict[str, str]]]:
    """Return the run of a request, and the faults of its anomaly, one per strength."""
    library = library_of(request)
    run = library.run(request.path_params["run"])
    data = run_data(library, run)
    wanted = request.path_params["fault"]
    found = [] if data is None else [each for each in data["faults"] if each["id"] == wanted]
    if not found:
        raise UnknownName(f"{run.id} has no fault {wanted!r}.")
    return run, found


def _seconds(library: Library, run: Run, keys: dict[str, str]) -> dict[str, float]:
    """Return the CPU seconds to fit and score the detector of each cell."""
    table = library.results(run).table.select(["key", "fit_cpu_s", "score_cpu_s"])
    spent = {row["key"]: (row["fit_cpu_s"] or 0.0) + (row["score_cpu_s"] or 0.0) for row in table.to_pylist()}
    return {name: round(spent[key], 1) for name, key in keys.items()}


def clip(request: Request) -> Response:
    """Return a clip of the first steps of an episode with the fault, beside its nominal twin."""
    library = library_of(request)
    run, found = _found(request)
    variant = request.path_params["variant"]
    chosen = next((each for each in found if slug(each["variant"] or each["split"]) == variant), None)
    data = run_data(library, run)
    if chosen is None or data is None:
        raise UnknownName(f"there is no strength {variant!r} of this fault.")
    key = next(iter(data["cells"][chosen["world"]].values()))[0][0]
    made = f"{CLIP_ONSET}-{CLIP_STEPS}-{CLIP_SIZE}"
    path = library.cache / "clips" / run.state[:16] / made / f"{slug(chosen['world'])}-{slug(chosen['split'])}.webp"
    with jobs_of(request).turn():
        if not path.is_file():
            cell = study_cell(run, key)
            fault = replace(fault_of(cell, chosen["split"]), schedule=Schedule(CLIP_ONSET))
            write_clip(
                path, cell.world, acting_policy(cell.policy, cell.world), fault, steps=CLIP_STEPS, size=CLIP_SIZE
            )
    return Response(path.read_bytes(), media_type="image/webp", headers={"cache-control": "max-age=3600"})


def _example_seed(library: Library, run: Run, fault: dict[str, str]) -> int:
    """Return the seed of a recorded episode that reaches the onset of the fault; 0 if none is recorded."""
    examples = library.results(run).examples
    if "episode_seed" not in examples.column_names:
        return 0
    rows = examples.select(["world", "split", "episode_seed", "onset"]).to_pylist()
    world = _world_id(fault["world"])
    seeds = [
        row["episode_seed"]
        for row in rows
        if row["split"] == fault["split"] and row["world"] == world and row["onset"] is not None
    ]
    return int(seeds[0]) if seeds else 0


def curves(request: Request) -> Response:
    """Return the delay curves of the detector of a cell on all its faults; it is fitted again for that."""
    library = library_of(request)
    key = request.path_params["key"]
    run = library.run_of(key)
    with jobs_of(request).turn():
        return JSONResponse(computed_curves(library, run, key))


def computed_curves(library: Library, run: Run, key: str) -> dict[str, Any]:
    """Return the delay curves of a cell: computed, or as they were stored."""
    stored = _stored_curves(library, key)
    if stored is None:
        stored = detection_curves(study_cell(run, key))
        write_json(library.cache / "incidence" / f"{key}.json", stored)
    return stored


def _stored_curves(library: Library, key: str) -> dict[str, Any] | None:
    try:
        return read_json(library.cache / "incidence" / f"{key}.json")
    except (MissingFile, OffnominalError):
        return None


def _of_fault(stored: dict[str, Any] | None, found: list[dict[str, str]]) -> list[Any] | None:
    """Return the curves of some splits, or None if they were not computed."""
    return None if stored is None else [stored.get(each["split"]) for each in found]


def exported(library: Library) -> Iterator[str]:
    """Return the addresses of all pages about faults; clips and curves that can be made are made."""
    runs = comparable_runs(library)
    if runs:
        yield "faults"
    for run in runs:
        yield f"faults/{run.id}"
        data = run_data(library, run)
        assert data is not None
        _make_curves(library, run, data)
        for each in data["faults"]:
            yield f"faults/{run.id}/{each['id']}"
            yield f"clips/{run.id}/{each['id']}/{slug(each['variant'] or each['split'])}.webp"


def _make_curves(library: Library, run: Run, data: dict[str, Any]) -> None:
    """Compute the delay curves of detectors that are fitted quickly."""
    for detectors in data["cells"].values():
        keys = {name: cells[0][0] for name, cells in detectors.items()}
        seconds = _seconds(library, run, keys)
        for name, key in keys.items():
            if seconds[name] <= CHEAP:
                try:
                    computed_curves(library, run, key)
                except OffnominalError:
                    continue


FAULTS = Part(
    TITLE,
    "faults",
    [
        Route("/faults", faults),
        Route("/faults/{run}", faults),
        Route("/faults/{run}/{fault}", fault),
        Route("/clips/{run}/{fault}/{variant}.webp", clip),
        Route("/curves/{key}.json", curves),
    ],
    exported,
)


POINTS = 300
"""Largest number of points of a curve."""


def recorded_episode(examples: Any, split: str, keys: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the scores of several detectors on one recorded episode of a split, or None if none was recorded.

    Args:
        examples: Recorded episodes of a run.
        split: Name of the split.
        keys: Keys of cells by the names of their detectors.
    """
    if "scores" not in examples.column_names:
        return None
    chosen = {key: name for name, key in keys.items()}
    columns = [name for name in examples.column_names if name not in ("world", "policy", "name")]
    rows = [row for row in examples.select(columns).to_pylist() if row["split"] == split and row["key"] in chosen]
    reached = [row for row in rows if row["onset"] is not None]
    if not reached:
        return None
    first = reached[0]
    return {
        "seed": first["episode_seed"],
        "onset": first["onset"],
        "end": first["end"],
        "effective": first["effective_onset"],
        "length": len(first["scores"]),
        "detectors": {
            chosen[row["key"]]: {
                "scores": _curve(row["scores"]),
                "twin": _curve(row["twin_scores"] or ()),
                "thresholds": json.loads(row["thresholds"] or "{}"),
                "alarms": json.loads(row["alarms"] or "{}"),
            }
            for row in reached
            if row["episode_seed"] == first["episode_seed"]
        },
    }


def _curve(scores: Sequence[float]) -> list[list[float]]:
    """Return steps and scores; of a long curve, the largest score of every few steps."""
    stride = -(-len(scores) // POINTS) or 1
    return [
        [start, float(f"{max(scores[start : start + stride]):.4g}")]
        for start in range(0, len(scores), stride)
        if all(map(math.isfinite, scores[start : start + stride]))
    ]
