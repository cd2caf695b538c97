"""Writes the inputs of a search as a test file, or adds them to one that is there."""

from __future__ import annotations

import ast
import re
import textwrap
from typing import Any, Optional, Sequence

from ..search.chosen_inputs import Found
from ..search.properties import Property
from ..values.object_graphs import STAND_IN
from ..values.render import NotRenderable
from .collected_names import without_collected
from .import_lines import Import, import_lines, with_imports
from .project_style import ProjectStyle
from .property_tests import property_test
from .test_names import free_name, test_name
from .test_statements import Statements, Test

_NOTE = "Characterization tests: they hold what the function does today, found by calling it."


def write_tests(
    found: list[Found],
    description: dict[str, Any],
    module: str,
    existing: str,
    style: ProjectStyle,
    properties: Sequence[Property],
    is_own: bool,
) -> tuple[str, list[str]]:
    """Returns the text of the test file and the names of its new tests; existing tests stay as they are.

    `is_own` tells that nobody else has written in the file.
    """
    if existing.startswith("\ufeff") or existing.count("\r\n") == existing.count("\n") > 0:
        mark = existing[:1] if existing.startswith("\ufeff") else ""
        end = "\r\n" if "\r\n" in existing else "\n"
        plain = existing[len(mark) :].replace(end, "\n")
        text, names = write_tests(found, description, module, plain, style, properties, is_own)
        return mark + text.replace("\n", end), names
    taken = _names_in(existing)
    statements = Statements(description, style)
    tests: list[Test] = []
    has_other_stand_in = "class StandIn" in existing and STAND_IN.strip() not in existing
    for each in found:
        try:
            test = statements.test(free_name(test_name(description, each), taken), each)
        except NotRenderable:
            continue
        if test.needs_stand_in and has_other_stand_in or any(_is_other(text, existing) for text in test.definitions):
            continue
        taken.add(test.name)
        tests.append(test)
    for held in properties:
        try:
            test = property_test(held, description, module, taken)
        except NotRenderable:
            continue
        taken.add(test.name)
        tests.append(test)
    if not tests:
        return existing, []
    imports: set[Import] = {(module, _imported(description))}.union(*(test.imports for test in tests))
    imports = without_collected(imports, tests, style)
    needs_stand_in = any(test.needs_stand_in for test in tests) and STAND_IN.strip() not in existing
    head = [STAND_IN.rstrip()] if needs_stand_in else []
    definitions = {text for test in tests for text in test.definitions}
    head += [each.rstrip() for each in sorted(definitions) if each.strip() not in existing]
    names = [test.name for test in tests]
    if existing.strip() == "":
        title = f'"""Tests of {module}.\n\n' + "\n".join(textwrap.wrap(_NOTE, style.width)) + '\n"""\n\n'
        blocks = [*head, *_blocks(tests, description, style)]
        return title + import_lines(imports, style.width) + "\n\n" + "\n\n\n".join(blocks) + "\n", names
    text = with_imports(existing, imports, style.width, is_own)
    in_class = _class_for(text, description) if style.in_classes else None
    if in_class is not None and not head:
        return _in_class(text, in_class, [test.text(style.width, True) for test in tests]), names
    return text.rstrip("\n") + "\n\n\n" + "\n\n\n".join([*head, *_blocks(tests, description, style)]) + "\n", names


def _is_other(definition: str, existing: str) -> bool:
    """Whether a file has another class of the name."""
    name = definition.split("(")[0].split(":")[0]
    return re.search(rf"^{re.escape(name)}\b", existing, re.M) is not None and definition.strip() not in existing


def _blocks(tests: list[Test], description: dict[str, Any], style: ProjectStyle) -> list[str]:
    if not style.in_classes:
        return [test.text(style.width, False) for test in tests]
    return [f"class {_class_name(description)}:\n" + "\n\n".join(test.text(style.width, True) for test in tests)]


def _class_name(description: dict[str, Any]) -> str:
    words = re.findall(r"[A-Za-z0-9]+", str(description["qualname"]).replace("<locals>", ""))
    return "Test" + "".join(part[:1].upper() + part[1:] for word in words for part in word.split("_"))


def _class_for(existing: str, description: dict[str, Any]) -> Optional[ast.ClassDef]:
    """Returns the class of the file that holds the function's tests."""
    name = _class_name(description)
    for node in ast.parse(existing).body:
        if isinstance(node, ast.ClassDef) and node.name == name and not node.bases:
            return node
    return None


def _in_class(existing: str, node: ast.ClassDef, methods: list[str]) -> str:
    lines = existing.split("\n")
    end = node.end_lineno or len(lines)
    return "\n".join([*lines[:end], "", *"\n\n".join(methods).split("\n"), *lines[end:]])


def _imported(description: dict[str, Any]) -> str:
    return str(description["qualname"]).split(".")[0]


def _names_in(existing: str) -> set[str]:
    if existing.strip() == "":
        return set()
    return {
        node.name for node in ast.walk(ast.parse(existing)) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }
