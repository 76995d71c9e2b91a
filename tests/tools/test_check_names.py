"""The check of names finds a variable that has the name of another module's function, and nothing else."""

import ast
from pathlib import Path

import check_names


def shared_names(**sources):
    trees = {Path(f"{name}.py"): ast.parse(text) for name, text in sources.items()}
    return [name for _, _, name in check_names.shared_names(trees)]


def test_a_variable_with_the_name_of_another_modules_function_is_found():
    found = shared_names(
        split="def split_rows(): ...", vae="def loss(x):\n    split_rows = x - 1\n    return split_rows"
    )
    assert found == ["variable split_rows has the name of a function of split.py; rename one"]


def test_words_that_a_variable_and_a_function_share_and_names_of_the_same_module_are_allowed():
    assert shared_names(split="def rows(): ...", vae="def loss(x):\n    rows = x\n    return rows") == []
    assert shared_names(split="def split_rows():\n    split_rows = 1\n    return split_rows") == []
    assert shared_names(split="def split_rows(): ...", vae="from split import split_rows\nvalue = split_rows()") == []
