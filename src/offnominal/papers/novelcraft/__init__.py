"""NovelCraft: published tables, and the tables recomputed from the released scores."""
