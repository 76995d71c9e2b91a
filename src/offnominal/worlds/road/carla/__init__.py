"""CARLA as another back end of scenario files; the package ``carla`` is imported when a run begins."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "errors": ("CarlaError", "CarlaTimeout", "CarlaUnreachable", "CarlaVersionMismatch", "NotOnServer"),
        "run": ("CarlaRun", "CarlaTown"),
    },
)
