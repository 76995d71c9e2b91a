"""The inventory of the player: 36 slots, of which the first nine are the hot bar."""

from __future__ import annotations

from offnominal.worlds.craft.blocks import AIR, BY_ID, BY_NAME, IRON_AXE, IRON_PICKAXE, KEY

SLOTS, HOT_BAR = 36, 9
STACK = 64
TOOLS = frozenset({IRON_PICKAXE, IRON_AXE, KEY})
KIND: tuple[int, ...] = tuple(BY_NAME[BY_ID[id].name].id if id in BY_ID else AIR for id in range(max(BY_ID) + 1))
"""Id of the first variant of every id: commands name a kind and do not distinguish its variants."""

VARIANTS: dict[int, tuple[int, ...]] = {
    kind: tuple(id for id in BY_ID if id != AIR and KIND[id] == kind) for kind in set(KIND)
}
"""Ids of every kind."""


class Inventory:
    """Items and their numbers by slot.

    Example:
        >>> inventory = Inventory()
        >>> inventory.add(128, 70), inventory.count(128), inventory.items[:2]
        (True, 70, [128, 128])
    """

    __slots__ = ("counts", "items", "selected")

    def __init__(self) -> None:
        self.items = [AIR] * SLOTS
        self.counts = [0] * SLOTS
        self.selected = 0

    @property
    def held(self) -> int:
        """Id of the selected item; 0 for an empty hand."""
        return self.items[self.selected]

    def count(self, kind: int) -> int:
        """Return the number of items of a kind, in all its variants."""
        total = 0
        for variant in VARIANTS[kind]:
            if variant in self.items:
                total += sum(count for item, count in zip(self.items, self.counts, strict=True) if item == variant)
        return total

    def first(self, kind: int) -> int:
        """Return the id of the first item of a kind; 0 if there is none."""
        return next((item for item in self.items if item and KIND[item] == kind), AIR)

    def totals(self) -> dict[int, int]:
        """Return the number of items of every kind."""
        found: dict[int, int] = {}
        for slot, item in enumerate(self.items):
            if item:
                kind = KIND[item]
                found[kind] = found.get(kind, 0) + self.counts[slot]
        return found

    def room_for(self, item: int) -> int:
        """Return how many items of an id can be added."""
        size = 1 if item in TOOLS else STACK
        room = 0
        for slot in range(SLOTS):
            if self.items[slot] == AIR:
                room += size
            elif self.items[slot] == item:
                room += size - self.counts[slot]
        return room

    def add(self, item: int, count: int) -> bool:
        """Add items; without room for all of them nothing changes, and the result is False."""
        if item not in TOOLS and item in self.items:
            slot = self.items.index(item)
            if self.counts[slot] + count <= STACK:
                self.counts[slot] += count
                return True
        if self.room_for(item) < count:
            return False
        size = 1 if item in TOOLS else STACK
        for wanted in (item, AIR):
            for slot in range(SLOTS):
                if count and self.items[slot] == wanted and self.counts[slot] < size:
                    moved = min(count, size - self.counts[slot])
                    self.items[slot] = item
                    self.counts[slot] += moved
                    count -= moved
        return True

    def remove(self, kind: int, count: int) -> bool:
        """Remove items of a kind; with too few of them nothing changes, and the result is False."""
        if self.count(kind) < count:
            return False
        for slot in range(SLOTS):
            if count and self.items[slot] and KIND[self.items[slot]] == kind:
                moved = min(count, self.counts[slot])
                self.counts[slot] -= moved
                count -= moved
                if not self.counts[slot]:
                    self.items[slot] = AIR
        return True

    def select(self, kind: int) -> bool:
        """Select the first slot with a kind. An item outside the hot bar changes places with the selected one."""
        for slot in range(SLOTS):
            if self.items[slot] and KIND[self.items[slot]] == kind:
                if slot < HOT_BAR:
                    self.selected = slot
                    return True
                here = self.selected
                for values in (self.items, self.counts):
                    values[slot], values[here] = values[here], values[slot]
                return True
        return False

    def copy(self) -> Inventory:
        """Return an independent copy."""
        new = Inventory()
        new.items, new.counts, new.selected = self.items.copy(), self.counts.copy(), self.selected
        return new
