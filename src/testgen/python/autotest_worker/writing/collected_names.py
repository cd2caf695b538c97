"""Imports under which pytest takes nothing of the project for a test."""

from __future__ import annotations

import configparser
import fnmatch
import re
from typing import Any, Sequence

from .import_lines import Import
from .project_style import ProjectStyle
from .test_statements import Test

_FILES = ("pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg")


def without_collected(imports: set[Import], tests: Sequence[Test], style: ProjectStyle) -> set[Import]:
    """Returns the imports, those of a name that pytest would collect under another one, which the tests then use."""
    found: set[Import] = set()
    for module, name in imports:
        if name is None or not is_collected(name, style.collected):
            found.add((module, name))
            continue
        alias = f"_{name}"
        found.add((module, f"{name} as {alias}"))
        for test in tests:
            test.lines = [_renamed(line, name, alias) for line in test.lines]
    return found


def is_collected(name: str, patterns: Sequence[str]) -> bool:
    """Whether pytest takes a function or class of this name for a test: by a prefix, or by a pattern with a star."""
    return any(fnmatch.fnmatchcase(name, each) if set(each) & set("*?[") else name.startswith(each) for each in patterns)


def collected_patterns() -> list[str]:
    """Returns the patterns of names that the project's configuration of pytest has collected, or those of pytest itself."""
    said = _configured()
    return [*(said.get("python_functions") or ["test"]), *(said.get("python_classes") or ["Test"])]


def _configured() -> dict[str, list[str]]:
    for name in _FILES:
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        try:
            parser.read(name, encoding="utf-8")
        except (configparser.Error, UnicodeDecodeError):
            continue
        section = "tool:pytest" if name == "setup.cfg" else "pytest"
        if parser.has_section(section):
            return {key: value.split() for key, value in parser.items(section)}
    return {key: _texts(value) for key, value in _of_pyproject().items()}


def _of_pyproject() -> dict[str, Any]:
    try:
        import tomllib
    except ImportError:
        try:
            import tomli as tomllib  # type: ignore[import-not-found, no-redef]
        except ImportError:
            return {}
    try:
        with open("pyproject.toml", "rb") as file:
            options = tomllib.load(file).get("tool", {}).get("pytest", {}).get("ini_options", {})
    except (OSError, ValueError):
        return {}
    return options if isinstance(options, dict) else {}


def _texts(value: Any) -> list[str]:
    return value.split() if isinstance(value, str) else [str(each) for each in value] if isinstance(value, list) else []


def _renamed(line: str, name: str, alias: str) -> str:
    """Returns a statement with another name, which is left as it is within texts and as an attribute."""
    parts = re.split(r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')""", line)
    return "".join(part if at % 2 else re.sub(rf"(?<![\w.]){name}\b", alias, part) for at, part in enumerate(parts))
