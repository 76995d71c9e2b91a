"""Registry of worlds: ids, lazily loaded classes and cards."""

from __future__ import annotations

from typing import Any

from offnominal.core.registry import Registry, Spec
from offnominal.worlds.world import World
from offnominal.worlds.world_card import EvaluationTerms, TrainingPresets, WorldCard


class WorldRegistry(Registry[World]):
    """Registry of worlds and their cards.

    Other packages add worlds through the entry point group ``offnominal.worlds``. An entry point names a function that
    takes this registry and calls :meth:`register_card` once per world.
    """

    def __init__(self) -> None:
        super().__init__("world")
        self._cards: dict[str, WorldCard] = {}

    def register_card(self, card: WorldCard) -> None:
        """Add a world by its card. The card's `target` names the class."""
        self.register(Spec(card.id, card.target, card.summary, card.options, version=card.version, tags=card.tags))
        self._cards[card.id] = card

    def _target(self, spec: Spec) -> Any:
        """Import the class of a world as it is: simulations make many short calls."""
        return spec.load()

    def card(self, id: str) -> WorldCard:
        """Return the card of a world, or raise :class:`UnknownName`.

        A world that was registered without a card is built once to read it.
        """
        if self.spec(id).id not in self._cards:
            self._cards[id] = self.make(id, n=1).card
        return self._cards[id]

    def training_presets(self, id: str) -> TrainingPresets:
        """Return the training presets of a world; of any other environment, empty ones."""
        return self.card(id).training if id in self else TrainingPresets()

    def evaluation_terms(self, id: str) -> EvaluationTerms:
        """Return how policies of a world are evaluated; of any other environment, the defaults."""
        return self.card(id).evaluation if id in self else EvaluationTerms()
