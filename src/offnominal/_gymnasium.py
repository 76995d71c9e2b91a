"""Make our worlds known to Gymnasium without importing it: it costs more than this whole package."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType


def register_when_imported() -> None:
    """Register the worlds now if Gymnasium is loaded, otherwise as soon as it is."""
    if "gymnasium" in sys.modules:
        _register()
    elif not any(isinstance(finder, _Watcher) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Watcher())


def _register() -> None:
    """Import the catalogue, which registers the worlds; the catalogue itself may be importing Gymnasium."""
    importlib.import_module("offnominal.worlds.catalogue")


class _Watcher(MetaPathFinder):
    """Finder that registers the worlds after the import of Gymnasium."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the spec of Gymnasium with a loader that registers the worlds."""
        if name != "gymnasium":
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Registering(spec.loader)
        return spec


class _Registering(Loader):
    """Loader that delegates to another loader and then registers the worlds."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Leave the module's creation to the real loader."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module, put its loader back, register."""
        assert module.__spec__ is not None
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        _register()
