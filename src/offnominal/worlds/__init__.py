"""Environments: batched worlds that are also Gymnasium environments."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "catalogue": ("WorldRegistry", "make_single", "make_vector", "make_world", "worlds"),
        "pixel_observations": ("ObservationBuilder",),
        "single_env": ("WorldEnv",),
        "vector_env": ("WorldVectorEnv",),
        "world": ("World",),
        "world_card": ("Channel", "EvaluationTerms", "GoalTerms", "PhysicsParameter", "TrainingPresets", "WorldCard"),
    },
)
