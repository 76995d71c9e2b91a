"""Messages as generated ones: private slots, fields by properties, fixed arrays as arrays of numbers."""

from array import array


class Joints:
    __slots__ = ("_check_fields", "_position")

    def __init__(self, position):
        self._position, self._check_fields = array("d", position), True

    @property
    def position(self):
        return self._position

    @classmethod
    def get_fields_and_field_types(cls):
        return {"position": "double[2]"}


class Motor:
    __slots__ = ("_current",)

    def __init__(self, current):
        self._current = current

    @property
    def current(self):
        return self._current

    @classmethod
    def get_fields_and_field_types(cls):
        return {"current": "double"}
