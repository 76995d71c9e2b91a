"""A detector keeps its colour from figure to figure."""

from offnominal.reports.colours import colours


def test_the_order_of_names_does_not_matter():
    names = [f"method {k}" for k in range(6)]
    assert colours(names) == colours(reversed(names))
    assert list(colours(reversed(names))) == names[::-1]
    assert len(set(colours(names).values())) == 6
