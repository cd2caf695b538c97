"""How a project writes its tests: line length, classes or functions, fixtures that make objects."""

from __future__ import annotations

import ast
import os
from dataclasses import dataclass, field
from typing import Iterator, Optional

from ..search.call_sites import NotReadable, Values, imported_names
from ..search.target import Target
from ..values.built_objects import Built
from .code_format import DEFAULT_WIDTH, line_width

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


def project_style(test_path: Optional[str], existing: str, target: Target) -> ProjectStyle:
    """Reads the style from the test file, else from those beside it; fixtures are those of `conftest.py` in its folders."""
    style = ProjectStyle(width=line_width())
    if test_path is None:
        return style
    texts = [existing] if existing.strip() else list(_beside(test_path))
    counts = [_tests_in_classes(text) for text in texts]
    style.in_classes = sum(inside for inside, _ in counts) > sum(outside for _, outside in counts)
    seen: set[str] = set()
    for folder in _folders(test_path):
        text = _read(os.path.join(folder, "conftest.py"))
        for fixture in _fixtures(text, target) if text else []:
            # The nearest one of a name is the one that tests get.
            if fixture.fixture is not None and fixture.fixture not in seen:
                seen.add(fixture.fixture)
                style.fixtures.append(fixture)
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


def _fixtures(text: str, target: Target) -> Iterator[Built]:
    """Yields the objects that fixtures make from nothing else: one expression, no other fixture."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    values = Values({**vars(target.module), **imported_names(tree, target.module)}, {})
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef) or node.args.args or not _is_fixture(node):
            continue
        body = [each for each in node.body if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))]
        if len(body) != 1:
            continue
        made = body[0].value if isinstance(body[0], (ast.Return, ast.Expr)) else None
        made = made.value if isinstance(made, ast.Yield) else made
        if made is None:
            continue
        try:
            value = values.of(made)
        except NotReadable:
            continue
        if isinstance(value, Built):
            value.fixture = node.name
            yield value


def _is_fixture(node: ast.FunctionDef) -> bool:
    """Whether it is a fixture by its own name that nothing shares with other tests."""
    return len(node.decorator_list) == 1 and ast.unparse(node.decorator_list[0]) in ("pytest.fixture", "pytest.fixture()", "fixture")
