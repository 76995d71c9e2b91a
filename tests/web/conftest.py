"""Faults that start and stop at run time, until environments have them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

_spec = importlib.util.spec_from_file_location("run_time_faults", Path(__file__).parent / "run_time_faults.py")
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
_module.install()
