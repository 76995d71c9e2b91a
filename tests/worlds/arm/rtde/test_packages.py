"""Packages have the bytes that the protocol documents."""

import pytest

from offnominal.worlds.arm.errors import InvalidPackage
from offnominal.worlds.arm.rtde import packages
from offnominal.worlds.arm.rtde.packages import (
    ControllerVersion,
    MessageLevel,
    Package,
    PackageReader,
    PackageType,
    TextMessage,
)

pytestmark = pytest.mark.long

# Built by hand from the documented layout: size (2 bytes), type (1 byte), payload, all big-endian.
DOCUMENTED = {
    "00 05 56 00 02": Package(PackageType.REQUEST_PROTOCOL_VERSION, packages.protocol_request()),
    "00 04 56 01": Package(PackageType.REQUEST_PROTOCOL_VERSION, b"\x01"),
    "00 03 76": Package(PackageType.GET_CONTROLLER_VERSION),
    "00 13 76 00 00 00 03 00 00 00 0f 00 00 00 08 00 01 9f 63": Package(
        PackageType.GET_CONTROLLER_VERSION, ControllerVersion(3, 15, 8, 106339).encode()
    ),
    "00 14 4f 40 5f 40 00 00 00 00 00 74 69 6d 65 73 74 61 6d 70": Package(
        PackageType.SETUP_OUTPUTS, packages.outputs_request(("timestamp",), 125.0)
    ),
    "00 0a 4f 01 44 4f 55 42 4c 45": Package(PackageType.SETUP_OUTPUTS, packages.recipe_reply(1, ("DOUBLE",))),
    "00 12 49 02 49 4e 54 33 32 2c 56 45 43 54 4f 52 36 44": Package(
        PackageType.SETUP_INPUTS, packages.recipe_reply(2, ("INT32", "VECTOR6D"))
    ),
    "00 03 53": Package(PackageType.START),
    "00 04 53 01": Package(PackageType.START, b"\x01"),
    "00 03 50": Package(PackageType.PAUSE),
}


@pytest.mark.parametrize(("hexadecimal", "package"), DOCUMENTED.items())
def test_package_has_the_documented_bytes(hexadecimal, package):
    data = bytes.fromhex(hexadecimal)
    assert package.encode() == data
    assert PackageReader().feed(data) == [package]


def test_packages_survive_any_cut_of_the_stream():
    stream = b"".join(package.encode() for package in DOCUMENTED.values())
    expected = PackageReader().feed(stream)
    for step in (1, 2, 3, 7):
        reader = PackageReader()
        received = [each for start in range(0, len(stream), step) for each in reader.feed(stream[start : start + step])]
        assert received == expected
        assert reader.incomplete == 0


def test_truncated_package_stays_incomplete():
    reader = PackageReader()
    assert reader.feed(bytes.fromhex("00 13 76 00 00")) == []
    assert reader.incomplete == 5


@pytest.mark.parametrize("garbage", [b"HTTP/1.1 400 Bad Request\r\n", b"\x00\x00\x56", b"\x00\x02\x53", b"\xff" * 40])
def test_garbage_is_a_named_error(garbage):
    with pytest.raises(InvalidPackage):
        PackageReader().feed(garbage)


def test_too_long_package_is_a_named_error():
    with pytest.raises(InvalidPackage, match="too long"):
        Package(PackageType.DATA, bytes(70_000)).encode()


def test_text_message_has_the_documented_bytes():
    message = TextMessage("hi", "arm", MessageLevel.WARNING)
    assert message.encode() == bytes.fromhex("02 68 69 03 61 72 6d 02")
    assert TextMessage.decode(message.encode()) == message


@pytest.mark.parametrize("payload", [b"", b"\x05hi", b"\x02hi", b"\x02hi\x09a", b"\x02hi\x00", b"\x02hi\x00\x07"])
def test_cut_text_message_is_a_named_error(payload):
    with pytest.raises(InvalidPackage):
        TextMessage.decode(payload)


@pytest.mark.parametrize(
    ("read", "payload"),
    [
        (ControllerVersion.decode, bytes(15)),
        (packages.requested_protocol, b"\x02"),
        (packages.accepted, b""),
        (packages.accepted, b"\x01\x01"),
        (packages.requested_outputs, bytes(7)),
        (packages.replied_recipe, b""),
        (packages.split_names, b"actual_q\xff"),
    ],
)
def test_payload_of_wrong_size_is_a_named_error(read, payload):
    with pytest.raises(InvalidPackage):
        read(payload)


def test_requests_and_replies_read_back():
    names = ("actual_q", "timestamp")
    assert packages.requested_outputs(packages.outputs_request(names, 500.0)) == (500.0, names)
    assert packages.replied_recipe(packages.recipe_reply(7, ("DOUBLE", "NOT_FOUND"))) == (7, ("DOUBLE", "NOT_FOUND"))
    assert packages.requested_protocol(packages.protocol_request()) == 2
    assert packages.accepted(b"\x01")
    assert not packages.accepted(b"\x00")
    assert str(ControllerVersion.decode(ControllerVersion(5, 11, 0, 1).encode())) == "5.11.0.1"
    assert packages.split_names(b"") == ()
