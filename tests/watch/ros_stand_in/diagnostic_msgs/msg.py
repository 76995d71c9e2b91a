"""Messages as generated ones: keyword arguments only, of the right types, and slots."""

from types import SimpleNamespace
from typing import Any, ClassVar


class Message:
    __slots__: tuple[str, ...] = ()
    defaults: ClassVar[dict[str, Any]] = {}

    def __init__(self, **given):
        assert given.keys() <= self.defaults.keys(), given.keys() - self.defaults.keys()
        for name, (kind, value) in self.defaults.items():
            found = given.get(name, value() if callable(value) else value)
            assert isinstance(found, kind), (name, found)
            setattr(self, name, found)


class KeyValue(Message):
    __slots__ = ("key", "value")
    defaults: ClassVar = {"key": (str, ""), "value": (str, "")}


class DiagnosticStatus(Message):
    __slots__ = ("hardware_id", "level", "message", "name", "values")
    OK, WARN, ERROR, STALE = b"\x00", b"\x01", b"\x02", b"\x03"
    defaults: ClassVar = {
        "level": (bytes, b"\x00"),
        "name": (str, ""),
        "message": (str, ""),
        "hardware_id": (str, ""),
        "values": (list, list),
    }


class DiagnosticArray(Message):
    __slots__ = ("header", "status")
    defaults: ClassVar = {
        "header": (SimpleNamespace, lambda: SimpleNamespace(stamp=None, frame_id="")),
        "status": (list, list),
    }
