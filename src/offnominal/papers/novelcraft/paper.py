"""NovelCraft: its published results."""

from __future__ import annotations

from offnominal.papers.paper import Paper

PAPER = Paper("novelcraft", published="offnominal.papers.novelcraft.published_tables:PUBLISHED")
