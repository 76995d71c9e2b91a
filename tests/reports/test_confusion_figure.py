"""The figure of a confusion matrix."""

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.core.plot_style import pyplot
from offnominal.reports.confusion_figure import confusion_figure

pytestmark = pytest.mark.long


def test_every_count_and_class_is_shown():
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    plt = pyplot()
    figure = confusion_figure(plt, np.array([[3, 0, 1], [2, 5, 0]]), ["fence", "tree"], labelled=1)
    (axes,) = figure.axes
    assert sorted(text.get_text() for text in axes.texts) == ["1", "2", "3", "5"]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["fence (4)", "tree (7)"]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["fence", "tree", "extra 1"]
    plt.close(figure)
    with pytest.raises(InvalidParameter, match="1 names for 2 classes"):
        confusion_figure(plt, np.eye(2, dtype=int), ["fence"])
