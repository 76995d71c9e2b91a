"""The reference of the command line: `python docs/command_line.py` writes `docs/reference/cli.md` from the program.

`tests/docs` checks that the file is up to date.
"""

import re
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperArgument

from offnominal.cli.app import CHECK, DATA, EXPLORE, RUN, SERVE
from offnominal.cli.program import program
from offnominal.reports.tables import markdown

PAGE = Path(__file__).parent / "reference" / "cli.md"
BOLD = re.compile(r"\[bold\](.*?)\[/\]")
EXAMPLE = re.compile(r"^[A-Z][\w ]*: \[bold\](.*)\[/\]$")
EVERYWHERE = {"--help", "--install-completion", "--show-completion"}
HEAD = """# Command line

Generated from the program by `python docs/command_line.py`; `offnominal COMMAND --help` shows the same.

`--json` prints machine-readable output on standard output; notes and progress go to standard error. Wrong names are
answered with the nearest right one. `offnominal --install-completion` installs completion for your shell: bash, zsh,
fish or PowerShell.

## Exit codes

| code | meaning |
| --- | --- |
| 0 | success |
| 1 | the command ran and found something wrong: a cell without a result, a broken law or guarantee, files that differ |
| 2 | invalid arguments, files that cannot be read or written, or a lack of memory |
| 130 | stopped by Ctrl-C |

An error is one line on standard error. With the environment variable `OFFNOMINAL_TRACEBACK=1` it has its traceback.
"""


def reference() -> str:
    """Return the whole page."""
    root: Any = typer.main.get_command(program)
    context = root.context_class(root, info_name="offnominal")
    parts = [HEAD, "## Options of the program\n", _options(root, context)]
    for panel in (EXPLORE, DATA, RUN, CHECK, SERVE):
        parts.append(f"## {panel}\n")
        for name, command in root.commands.items():
            if command.rich_help_panel == panel:
                parts += [text for each in _with_subcommands(f"offnominal {name}", command) for text in _section(*each)]
    return "\n".join(parts).rstrip() + "\n"


def _with_subcommands(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    yield name, command
    for below, subcommand in getattr(command, "commands", {}).items():
        yield from _with_subcommands(f"{name} {below}", subcommand)


def _section(name: str, command: Any) -> Iterator[str]:
    """Yield heading, text, usage, tables and examples of a command."""
    context = command.context_class(command, info_name=name)
    paragraphs = [" ".join(each.split()) for each in (command.help or "").split("\n\n")]
    examples = [match[1] for each in paragraphs if (match := EXAMPLE.match(each))]
    yield f"### {name}\n"
    yield "\n\n".join(BOLD.sub(r"`\1`", each) for each in paragraphs if not EXAMPLE.match(each)) + "\n"
    arguments = [each for each in command.get_params(context) if isinstance(each, TyperArgument)]
    words = [_argument(each) for each in arguments]
    yield f"```text\n{' '.join([name, *words, '[OPTIONS]'])}{' COMMAND' * hasattr(command, 'commands')}\n```\n"
    if arguments:
        yield markdown([{"argument": f"`{each.metavar}`", "": _help(each)} for each in arguments], escape=False) + "\n"
    yield _options(command, context)
    if examples:
        commands = [f"$ {example}" for example in examples]
        yield "\n".join(["<!-- not run: an example -->", "```console", *commands, "```\n"])


def _argument(argument: Any) -> str:
    name = argument.metavar + "..." * (argument.nargs != 1)
    return name if argument.required else f"[{name}]"


def _options(command: Any, context: Any) -> str:
    """Return the table of the options of a command; empty without options."""
    rows = [
        {
            "option": f"`{' '.join([', '.join(each.opts), *([each.metavar] if each.metavar else [])])}`",
            "default": _default(each),
            "": _help(each),
        }
        for each in command.get_params(context)
        if not isinstance(each, TyperArgument) and not each.hidden and not EVERYWHERE & set(each.opts)
    ]
    return markdown(rows, escape=False) + "\n" if rows else ""


def _default(option: Any) -> str:
    value = option.default
    if value is None or value is False or value == [] or callable(value):
        return ""
    return f"`{value.value if isinstance(value, Enum) else value}`" + (" (required)" * bool(option.required))


def _help(parameter: Any) -> str:
    text = BOLD.sub(r"`\1`", " ".join((parameter.help or "").split()))
    text = re.sub(r"(?<!`)<(\w+)>(?!`)", r"&lt;\1&gt;", text).replace("|", "\\|").replace("*", "\\*")
    return f"{text} Required." if parameter.required and not isinstance(parameter, TyperArgument) else text


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
