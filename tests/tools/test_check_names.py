"""The check of names finds a variable that has the name of another module's function, and nothing else."""

import ast
import importlib.util
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "tools" / "check_names.py"


def shared_names(**sources):
    spec = importlib.util.spec_from_file_location("check_names", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [name for _, _, name in module.shared_names({Path(f"{k}.py"): ast.parse(v) for k, v in sources.items()})]


def test_a_variable_with_the_name_of_another_modules_function_is_found():
    found = shared_names(
        split="def split_rows(): ...", vae="def loss(x):\n    split_rows = x - 1\n    return split_rows"
    )
    assert found == ["variable split_rows has the name of a function of split.py; rename one"]


def test_words_that_a_variable_and_a_function_share_and_names_of_the_same_module_are_allowed():
    assert shared_names(split="def rows(): ...", vae="def loss(x):\n    rows = x\n    return rows") == []
    assert shared_names(split="def split_rows():\n    split_rows = 1\n    return split_rows") == []
    assert shared_names(split="def split_rows(): ...", vae="from split import split_rows\nvalue = split_rows()") == []
