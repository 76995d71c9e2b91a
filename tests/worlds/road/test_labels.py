"""The labels are the published ones."""

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.worlds.road.labels import CONTENT_ANOMALIES, Label, colour_table

pytestmark = pytest.mark.long


def test_there_are_44_labels_with_distinct_colours():
    assert len(Label) == 44
    assert len({label.colour for label in Label}) == 44


@pytest.mark.parametrize(
    ("label", "number", "colour"),
    [
        (Label.SKY, 11, (70, 130, 180)),
        (Label.ROAD_LINE, 24, (157, 234, 50)),
        (Label.AIRPLANE, 33, (245, 33, 0)),
        (Label.TEMPORAL_ANOMALY, 100, (245, 0, 0)),
        (Label.EGO_VEHICLE, 214, (0, 0, 1)),
    ],
)
def test_ids_and_colours_are_published(label, number, colour):
    assert (int(label), label.colour) == (number, colour)


def test_six_content_anomalies_and_one_temporal():
    assert sorted(CONTENT_ANOMALIES) == list(range(29, 35))
    assert sum(label.is_anomaly for label in Label) == 7


def test_road_users_under_an_agent_have_labels_100_higher():
    agents = [label for label in Label if label.name.startswith("AGENT_")]
    assert len(agents) == 7
    for label in agents:
        assert Label[label.name.removeprefix("AGENT_")].as_agent() is label
    for label in (Label.BUILDING, Label.AGENT_CAR):
        with pytest.raises(InvalidParameter, match="not a road user"):
            label.as_agent()


def test_colour_table_paints_images_of_labels():
    image = np.array([[Label.CAR, Label.EGO_VEHICLE]])
    assert colour_table()[image].tolist() == [[[0, 0, 142], [0, 0, 1]]]
