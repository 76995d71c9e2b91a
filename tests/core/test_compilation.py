"""Compiled code is kept on disk where there is a place for it, and works where there is none."""

import os
import subprocess
import sys

import pytest
from numba.core.caching import _CacheLocator

from offnominal.core import compilation
from offnominal.core.compilation import RepeatedCall, cache_folder, compiled, compiled_internal

pytestmark = pytest.mark.long

NOWHERE = """
import os, pwd, sys
from numba.core.caching import _CacheLocator

def refused(*arguments):
    raise PermissionError(13, "Permission denied")

def unknown(uid):
    raise KeyError(uid)

_CacheLocator.ensure_cache_path = refused
pwd.getpwuid = unknown
for command in ("worlds", "doctor", "datasets", "tables"):
    from offnominal.cli import main

    sys.argv = ["offnominal", command, "--json"]
    try:
        main()
    except SystemExit as stopped:
        assert not stopped.code, (command, stopped.code)
"""


def double(x):
    return 2 * x


@pytest.mark.parametrize("decorate", [compiled, compiled_internal])
def test_code_is_kept_on_disk(decorate):
    assert cache_folder(decorate(double)) is not None


def test_a_repeated_call_is_the_function_for_the_types_of_the_first_call():
    calls = RepeatedCall(compiled(double))
    assert [calls(2), calls(5)] == [4, 10]
    assert calls._code is not calls.function


def test_a_repeated_call_of_a_function_that_is_not_compiled_calls_it():
    calls = RepeatedCall(double)
    assert calls("ab") == "abab"
    assert calls._code is double


def test_two_processes_that_compile_at_once_do_not_mix_up_their_code(monkeypatch, tmp_path):
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(compilation, "_PROCESS", "first")
    first = compiled(double)
    monkeypatch.setattr(compilation, "_PROCESS", "second")
    second = compiled(double)
    files = [function._cache._cache_file for function in (first, second)]  # type: ignore[attr-defined]
    save = files[0]._save_data

    def save_after_the_second(name, data):
        second(1.5)
        save(name, data)

    monkeypatch.setattr(files[0], "_save_data", save_after_the_second)
    monkeypatch.setattr(files[1], "_load_index", dict)
    first(3)
    assert compiled(double)(1.5) == 3.0


def test_without_a_folder_to_write_to_code_is_compiled_and_not_kept(monkeypatch):
    def refused(locator):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(_CacheLocator, "ensure_cache_path", refused)
    doubled = compiled(double)
    assert cache_folder(doubled) is None
    assert doubled(4) == 8
    assert cache_folder(compiled_internal(double)) is None


def test_a_read_only_package_without_a_home_directory_still_lists_what_there_is():
    unset = ("HOME", "XDG_CACHE_HOME", "OFFNOMINAL_DATA", "NUMBA_CACHE_DIR")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    done = subprocess.run([sys.executable, "-c", NOWHERE], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "SAP-Goal0-v0" in done.stdout
    assert "this user has no home directory; set OFFNOMINAL_DATA" in done.stdout
    assert "code is compiled again in every process; set NUMBA_CACHE_DIR" in done.stdout
