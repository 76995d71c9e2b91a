"""Values that no argument of the package expects: of wrong types, of wrong shapes, out of range, or broken."""

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas
from scipy import sparse


class Hostile:
    """Raises whatever is asked of it."""

    def __repr__(self):
        raise RuntimeError("no repr")

    def __array__(self, *arguments, **options):
        raise RuntimeError("no array")


class BrokenSequence(Hostile):
    """Has no length, no items, no truth value, no hash, and equals nothing."""

    def __len__(self):
        raise RuntimeError("no length")

    __iter__ = __bool__ = __hash__ = __eq__ = __getitem__ = __len__


STRUCTURED = np.zeros(3, [("a", float), ("b", int)])
WRONG = {
    "None": None,
    "a truth value": True,
    "zero": 0,
    "minus one": -1,
    "a huge integer": 10**400,
    "a longer integer than can be printed": 10**5000,
    "a fraction": Fraction(1, 3),
    "a decimal": Decimal("0.5"),
    "not a number": float("nan"),
    "infinity": float("inf"),
    "a complex number": 1j,
    "text": "text",
    "no text": "",
    "bytes": b"bytes",
    "a date": datetime.date(2026, 1, 1),
    "no values": [],
    "a ragged list": [[1.0], [1.0, 2.0]],
    "a mixed list": [1.0, "two", None],
    "a set": {1, 2},
    "a mapping": {"a": 1},
    "a function": lambda *_, **__: None,
    "a class": type("Anything", (), {"__init__": lambda *_, **__: None}),
    "an object": object(),
    "something hostile": Hostile(),
    "a broken sequence": BrokenSequence(),
    "a scalar array": np.array(1.0),
    "no rows": np.zeros((0, 3)),
    "no columns": np.zeros((3, 0)),
    "five dimensions": np.zeros((1, 2, 1, 2, 1)),
    "complex numbers": np.zeros((3, 2), complex),
    "dates": np.zeros(3, "datetime64[s]"),
    "objects": np.array([object(), None]),
    "numbers as objects": np.array([[1.0, 2.0]], object),
    "words": np.array([["a", "b"]]),
    "a structured array": STRUCTURED,
    "a masked array": np.ma.array(np.ones((3, 2)), mask=True),
    "a sparse matrix": sparse.eye(3, format="csr"),
    "a frame of words": pandas.DataFrame({"a": ["x", "y"]}),
    "a frame with gaps": pandas.DataFrame({"a": pandas.array([1, None], "Int64")}),
    "truth values": np.ones((3, 2), bool),
    "half precision": np.full((3, 2), np.inf, np.float16),
    "a generator": None,
}


def value_of(what):
    return (number for number in range(3)) if what == "a generator" else WRONG[what]
