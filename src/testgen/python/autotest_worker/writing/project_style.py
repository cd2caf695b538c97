"""How a project writes its tests: line length, classes or functions, fixtures that make objects."""

from __future__ import annotations

import ast
import os
from dataclasses import dataclass, field
from typing import Iterator, Optional

from ..values.built_objects import Built
from .code_format import DEFAULT_WIDTH, line_width
from .project_fixtures import project_objects

_MOST_FILES = 30


@dataclass
class ProjectStyle:
    width: int = DEFAULT_WIDTH
    #: Whether tests are methods of classes.
    in_classes: bool = False
    #: The library that stops the clock.
    clock: str = ""
    fixtures: list[Built] = field(default_factory=list)
    #: Beginnings and patterns of the names that pytest takes for tests.
    collected: list[str] = field(default_factory=lambda: ["test", "Test"])


def project_style(test_path: Optional[str], existing: str) -> ProjectStyle:
    """Reads the style from the test file, else from those beside it; fixtures are those of `conftest.py` in its folders."""
    style = ProjectStyle(width=line_width())
    if test_path is None:
        return style
    texts = [existing] if existing.strip() else list(_beside(test_path))
    counts = [_tests_in_classes(text) for text in texts]
    style.in_classes = sum(inside for inside, _ in counts) > sum(outside for _, outside in counts)
    style.fixtures = project_objects(list(_folders(test_path)))
    return style


def _beside(test_path: str) -> Iterator[str]:
    folder = os.path.dirname(test_path) or "."
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in [each for each in names if each.startswith("test_") and each.endswith(".py")][:_MOST_FILES]:
        text = _read(os.path.join(folder, name))
        if text is not None:
            yield text


def _folders(test_path: str) -> Iterator[str]:
    """Yields the folder of the test file and those above it, to the project's root."""
    folder = os.path.dirname(os.path.normpath(test_path))
    while folder not in ("", "."):
        yield folder
        folder = os.path.dirname(folder)
    yield "."


def _read(path: str) -> Optional[str]:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return None


def _tests_in_classes(text: str) -> tuple[int, int]:
    """Returns how many tests are methods of plain classes, and how many are functions."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError):
        return 0, 0
    outside = sum(1 for each in body if _is_test(each))
    inside = sum(1 for each in body if isinstance(each, ast.ClassDef) and not each.bases for one in each.body if _is_test(one))
    return inside, outside


def _is_test(node: ast.stmt) -> bool:
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test")
