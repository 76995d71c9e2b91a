"""Public recordings of machines and robots, with their sources and licences."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "catalogue": ("PublicLog", "public_log_entry", "public_log_names"),
        "loading": ("load_public_log",),
    },
)
