"""Scenario files of AnoVox that run in our towns."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from offnominal.core.errors import OffnominalError
from offnominal.worlds.road.scenarios.description import Scenario
from offnominal.worlds.road.scenarios.published_scenarios import read_published_scenarios
from offnominal.worlds.road.scenes.mapped_routes import MappedRoute, map_scenario
from offnominal.worlds.road.scenes.scenario_route import route_of
from offnominal.worlds.road.town.town import Town, make_town


@dataclass(frozen=True)
class AdaptedScenarios:
    """Scenarios that run, and those that do not.

    Args:
        scenarios: Scenarios whose routes are in our towns.
        mapped: How routes were mapped, by the ids of their scenarios; others were in our towns already.
        refused: Why files and scenarios are left out, by the name of the file and the id of the scenario.
        stand_ins: Objects of the catalogue that stand in for unknown ones, by their blueprint ids.
    """

    scenarios: tuple[Scenario, ...]
    mapped: dict[str, MappedRoute] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    stand_ins: dict[str, str] = field(default_factory=dict)


def adapt_scenarios(folder: Path | str, *, stand_ins: bool = True) -> AdaptedScenarios:
    """Read scenario files of AnoVox, and map their routes in CARLA's towns onto ours.

    A route that lies on our lanes stays. Any other one becomes the route of our town of the same kind that has its
    turns in the same order and most nearly at the same distances. An object stays at its distance along the route.

    Args:
        folder: Folder with scenario files.
        stand_ins: Whether objects of the catalogue stand in for unknown ones; without, their scenarios are left out.

    Raises:
        MissingFile: The folder has no scenario files.
    """
    read = read_published_scenarios(folder, stand_ins=stand_ins)
    scenarios: list[Scenario] = []
    found = AdaptedScenarios((), refused=read.refused, stand_ins=read.stand_ins)
    for name, file in read.files.items():
        town = make_town(file.town)
        for scenario in file.scenarios:
            try:
                if _is_ours(scenario, town):
                    scenarios.append(scenario)
                    continue
                adapted, way = map_scenario(scenario, town)
            except OffnominalError as error:
                found.refused[f"{name}, scenario {scenario.id}"] = str(error)
            else:
                found.mapped[scenario.id] = way
                scenarios.append(adapted)
    return AdaptedScenarios(tuple(scenarios), found.mapped, found.refused, found.stand_ins)


def _is_ours(scenario: Scenario, town: Town) -> bool:
    """Return whether a route can be driven in our town as it is."""
    if scenario.route is None and scenario.start is None and scenario.end is None:
        return True
    try:
        found = route_of(scenario, town)
    except OffnominalError:
        return False
    return found is not None and not found.problems


def describe_turns(way: MappedRoute) -> str:
    """Return what was mapped, in words.

    Example:
        >>> from offnominal.worlds.road.scenes.mapped_routes import Turn
        >>> class Straight:
        ...     length = 120
        >>> describe_turns(MappedRoute(Straight(), (Turn(40.0, True),), 3.2))
        '120 m, left after 40 m; the turns are at most 3 m off'
    """
    turns = [f"{'left' if each.left else 'right'} after {each.distance:.0f} m" for each in way.turns]
    off = f"; the turns are at most {way.difference:.0f} m off" if turns else ""
    return f"{way.route.length} m, {', '.join(turns) or 'straight on'}{off}"
