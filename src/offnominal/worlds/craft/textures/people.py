"""Models of actors, and of items that lie on the ground."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from offnominal.sensing import Model, ModelPart, PackedModels, Texture, pack_models
from offnominal.sensing.shapes import Triple
from offnominal.worlds.craft.blocks import AIR, BY_ID
from offnominal.worlds.craft.textures.icons import icon
from offnominal.worlds.craft.textures.models import block_model
from offnominal.worlds.craft.textures.painting import area, clouded, drawn, framed, plain, speckled

FIRST_DROP = 20
"""Model of a dropped item is this number plus its id."""


@dataclass(frozen=True)
class Costume:
    """Colours of an actor.

    Args:
        skin: Skin.
        hair: Hair or hood.
        shirt: Upper body.
        trim: Belt and collar.
        trousers: Legs.
        robe: Whether a robe reaches the ground, and the arms are folded.
        mask: Whether a mask hides the face.
        badge: Sign on the chest, in the colour of the trim.
    """

    skin: str
    hair: str
    shirt: str
    trim: str
    trousers: str
    robe: bool = False
    mask: bool = False
    badge: tuple[str, ...] = ()


COSTUMES: dict[str, Costume] = {
    "Player": Costume("C68E6A", "3B2A1A", "2AA7A7", "1C7373", "3B3F8F"),
    "Trader": Costume("C89878", "6B4A32", "7A5638", "3F7D3A", "4A3424", robe=True),
    "Pogoist": Costume(
        "D9A27C", "4A1F6B", "7B3FBF", "C79BF2", "4C2478", badge=("", "", "", "..tttt", "...tt", "...tt")
    ),
    "Thief": Costume("B98866", "0E0E10", "19191C", "8E1F1F", "0F0F12", mask=True),
    "Supplier": Costume(
        "B98866", "1B1B1E", "232327", "F0A020", "141417", badge=("", "", "", ".tttttt", ".t.tt.t", ".tttttt")
    ),
    "Distributor": Costume("C89878", "D8D8D8", "2F6BB5", "F2F2F2", "1E3F70"),
    "Merchant": Costume("C89878", "B5892E", "A82E3A", "E8C24A", "6B1C26", robe=True),
}
"""Costumes by the kind of the actor."""
KINDS = tuple(COSTUMES)


def _head(costume: Costume) -> tuple[Texture, Texture, Texture]:
    """Return face, side and top of a head, 8 x 8 texels of double size."""
    hair = clouded("hair " + costume.hair, costume.hair, costume.hair, _darker(costume.hair), cells=8)
    skin = speckled("skin", costume.skin, costume.skin)
    face = area(skin, 0, 0, 16, 4, costume.hair)
    face = area(area(face, 0, 4, 2, 8, costume.hair), 14, 4, 16, 8, costume.hair)
    if costume.mask:
        face = area(area(face, 0, 10, 16, 16, costume.shirt), 0, 0, 16, 6, costume.hair)
    for left in (2, 10):
        face = area(
            area(face, left, 7, left + 4, 9, "FFFFFF"), 4 if left == 2 else 10, 7, 6 if left == 2 else 12, 9, "2B2B6B"
        )
    if not costume.mask:
        face = area(area(face, 6, 9, 10, 12, "9A6A4C"), 5, 13, 11, 14, "6B3A2C")
    side = hair if costume.mask else area(hair, 0, 8, 12, 16, costume.skin)
    return face, side, hair


def _body(costume: Costume) -> tuple[Texture, Texture]:
    """Return front and side of the upper body."""
    cloth = speckled("cloth " + costume.shirt, costume.shirt, costume.shirt, _darker(costume.shirt))
    belted = area(cloth, 0, 14, 16, 16, costume.trim)
    front = area(belted, 7, 0, 9, 4, costume.trim)
    wide = ["".join(2 * sign for sign in row) for row in costume.badge]
    return drawn([row for row in wide for _ in range(2)], {"t": costume.trim}, front), belted


def _darker(code: str) -> str:
    return bytes(part * 85 // 100 for part in bytes.fromhex(code)).hex()


def _part(faces: tuple[Texture, Texture, Texture], low: Triple, high: Triple) -> ModelPart:
    """Return a box with a front, other sides and a top."""
    front, side, top = faces
    return ModelPart((side, side, top, top, side, front), low, high, stretched=True)


def person(costume: Costume) -> Model:
    """Return the model of an actor that looks towards +z, 1.9 blocks high."""
    face, temple, crown = _head(costume)
    front, flank = _body(costume)
    legs = speckled("legs " + costume.trousers, costume.trousers, costume.trousers, _darker(costume.trousers))
    boots = area(legs, 0, 13, 16, 16, "2B2420")
    sleeve = area(flank, 0, 12, 16, 16, costume.skin)
    head = _part((face, temple, crown), (-4.0, 22.5, -4.0), (4.0, 30.5, 4.0))
    if costume.robe:
        hem = framed(area(flank, 0, 14, 16, 16, costume.trim), costume.shirt, _darker(costume.shirt))
        return (
            head,
            _part((plain("A87858"),) * 3, (-1.0, 22.0, 4.0), (1.0, 26.0, 5.5)),
            _part((front, flank, flank), (-4.0, 11.0, -3.0), (4.0, 22.5, 3.0)),
            _part((hem, hem, hem), (-4.25, 0.0, -3.25), (4.25, 11.0, 3.25)),
            _part((flank, sleeve, flank), (-6.0, 14.0, 1.0), (6.0, 18.0, 5.0)),
        )
    return (
        head,
        _part((front, flank, flank), (-4.0, 11.0, -2.0), (4.0, 22.5, 2.0)),
        _part((sleeve, sleeve, flank), (-7.5, 11.0, -2.0), (-4.0, 22.5, 2.0)),
        _part((sleeve, sleeve, flank), (4.0, 11.0, -2.0), (7.5, 22.5, 2.0)),
        _part((boots, boots, legs), (-4.0, 0.0, -2.0), (-0.25, 11.0, 2.0)),
        _part((boots, boots, legs), (0.25, 0.0, -2.0), (4.0, 11.0, 2.0)),
    )


def dropped(id: int) -> Model:
    """Return the model of an item on the ground: a small cube, or its icon on two crossed squares."""
    block = BY_ID[id]
    model = block_model(block.texture) if block.is_block else ()
    if len(model) == 1 and model[0].is_opaque_cube:
        return (ModelPart(model[0].faces, (-2.5, 1.0, -2.5), (2.5, 6.0, 2.5), stretched=True),)
    return (ModelPart((icon(id),) * 6, (-4.0, 1.0, -4.0), (4.0, 9.0, 4.0), crossed=True),)


@cache
def entity_models() -> PackedModels:
    """Return the models of all actors, from 1 in the order of `KINDS`, and of all dropped items."""
    people = {1 + number: person(costume) for number, costume in enumerate(COSTUMES.values())}
    return pack_models(people | {FIRST_DROP + id: dropped(id) for id in BY_ID if id != AIR})
