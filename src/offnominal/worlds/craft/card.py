"""Names, limits and novelties of the pogo-stick task."""

from __future__ import annotations

from offnominal.core.registry import Spec
from offnominal.worlds.craft.novelties import NOVELTIES
from offnominal.worlds.craft.rules import Version
from offnominal.worlds.craft.symbols import channels
from offnominal.worlds.world_card import Channel, PhysicsParameter, WorldCard

MAX_STEPS = 400


def _card(version: Version, summary: str, *, expert_length: int, walks: bool) -> WorldCard:
    sensed = [novelty for novelty in NOVELTIES.values() if version in novelty.versions and novelty.is_sensed]
    return WorldCard(
        id=f"CRAFT-Pogo-{version}",
        summary=summary,
        dt=1.0,
        max_steps=MAX_STEPS,
        expert_length=expert_length,
        observation=channels(),
        action=(Channel("number of the command"),),
        physics_parameters=tuple(
            PhysicsParameter(
                each.name,
                0.0,
                each.summary,
                "level",
                minimum=0.0,
                typical=float(each.typical),
                levels=tuple((name, float(level)) for name, level in each.named_levels.items()),
            )
            for each in sensed
        ),
        target="offnominal.worlds.craft.world:PogoWorld",
        options={"version": version},
        tags=("camera",),
        scripted_expert=Spec(
            "PogoPlayer",
            "offnominal.worlds.craft.pogo_player:PogoPlayer",
            options={"version": version, "walks": walks},
        ),
        page="craft-pogo",
    )


POGO_V1 = _card("v1", "make a pogo stick from wood and rubber in one room", expert_length=79, walks=True)
POGO_V2 = _card("v2", "make a pogo stick from wood, rubber, ores and trades", expert_length=47, walks=False)
CARDS = {card.id: card for card in (POGO_V1, POGO_V2)}
