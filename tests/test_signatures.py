"""Public functions are typed, and faults have the same parameter name everywhere."""

import inspect
import typing

import pytest

import offnominal as off

FUNCTIONS = [off.make, off.make_vec, off.inject, off.collect, off.twins, off.evaluate_policy]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_signatures_do_not_use_any(function):
    for signature in map(inspect.signature, (function, *typing.get_overloads(function))):
        annotations = [parameter.annotation for parameter in signature.parameters.values()]
        assert not [text for text in (*annotations, signature.return_annotation) if "Any" in str(text)]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_faults_are_passed_as_faults(function):
    assert "faults" in inspect.signature(function).parameters
