"""Decoders of ROS messages, by the definition of their type."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import redirect_stderr, suppress
from functools import cache
from io import StringIO
from typing import Any

from offnominal.core.errors import MissingDependency

Decoder = Callable[[bytes], Any]
CDR, ROS1, JSON = "cdr", "ros1", "json"
ROS2_DEFINITION, ROS1_DEFINITION = "ros2msg", "ros1msg"


class NoDecoder(Exception):
    """Messages of a topic cannot be decoded; the text says why."""


def message_decoder(encoding: str, kind: str, language: str, definition: bytes) -> Decoder:
    """Return the function that decodes the messages of a topic.

    Args:
        encoding: Encoding of the messages: ``"cdr"``, ``"ros1"`` or ``"json"``.
        kind: Name of their type, such as ``"sensor_msgs/msg/JointState"``.
        language: Language of the definition: ``"ros2msg"`` or ``"ros1msg"``; empty if there is none.
        definition: Definition of the type with those of its parts; empty for a standard type.

    Raises:
        NoDecoder: There is no decoder, or the definition cannot be read.
        MissingDependency: The package that decodes such messages is not installed.
    """
    if encoding == JSON:
        return json.loads
    if encoding == CDR:
        return _cdr_decoder(kind, language, definition)
    if encoding == ROS1:
        return _ros1_decoder(kind, definition)
    raise NoDecoder(f"its messages are in {encoding!r}; expected CDR, ROS 1 or JSON")


def _cdr_decoder(kind: str, language: str, definition: bytes) -> Decoder:
    try:
        from mcap_ros2.decoder import DecoderFactory
    except ImportError:
        raise MissingDependency(
            'messages of ROS 2 need mcap-ros2-support; install it with `pip install "offnominal[mcap]"`.'
        ) from None
    if not definition:
        language, definition = ROS2_DEFINITION, _standard_definition(kind)
    found = None
    # The parser of definitions prints to stderr, and raises errors of many classes, not all of its own.
    with suppress(Exception), redirect_stderr(StringIO()):
        from mcap.records import Schema

        found = DecoderFactory().decoder_for(CDR, Schema(id=0, name=kind, encoding=language, data=definition))
    if found is None:
        raise NoDecoder(f"its schema {kind!r} cannot be read")
    decoder: Decoder = found
    return decoder


def _standard_definition(kind: str) -> bytes:
    """Return the definition of a type of ROS 2 itself: bags of SQLite from before ROS 2 Iron have none of their own."""
    try:
        store = _standard_types()
    except ImportError:
        raise NoDecoder(
            f"the bag has no definition of {kind!r}; definitions of standard types come with "
            '`pip install "offnominal[rosbag]"`'
        ) from None
    try:
        text, _ = store.generate_msgdef(kind, ros_version=2)
    except Exception:
        raise NoDecoder(
            f"neither the bag nor the standard types define {kind!r}; convert the bag to MCAP where its packages are "
            "installed"
        ) from None
    return str(text).encode()


@cache
def _standard_types() -> Any:
    from rosbags.typesys import Stores, get_typestore

    return get_typestore(Stores.ROS2_HUMBLE)


def _ros1_decoder(kind: str, definition: bytes) -> Decoder:
    try:
        from rosbags.typesys import Stores, get_types_from_msg, get_typestore
    except ImportError:
        raise MissingDependency(
            'messages of ROS 1 need rosbags; install it with `pip install "offnominal[rosbag]"`.'
        ) from None
    name = kind if "/msg/" in kind else kind.replace("/", "/msg/", 1)
    try:
        store = get_typestore(Stores.EMPTY)
        store.register(get_types_from_msg(definition.decode(), name))
        store.get_msgdef(name)
    except Exception:
        raise NoDecoder(f"its definition of {kind!r} cannot be read") from None
    return lambda data: store.deserialize_ros1(data, name)
