"""Judges the tests of a file by their syntax tree: do they call the function and assert what it does?"""

from __future__ import annotations

import ast
from typing import Any, Iterator, Optional

from ..functions import Function, find_node
from .assertions import Assertions
from .target_references import TargetReferences, call_name
from .test_cheats import cheats_in_file, cheats_in_test

_SKIPS = {"skip", "skipif", "xfail", "skipIf", "skipUnless", "expectedFailure", "importorskip", "SkipTest"}


def check_tests(text: str, before: str, source: str, module: str, path: str, description: dict[str, Any]) -> dict[str, Any]:
    """Returns the tests that are new or changed, those that are gone, and problems with rule, test and line.

    Raises SyntaxError where the file is none of Python.
    """
    tree = ast.parse(text)
    qualname = str(description["qualname"])
    target = find_node(ast.parse(source), qualname)
    now, then = tests_in(tree), tests_in(ast.parse(before))
    known = {name: ast.dump(node) for name, node in then.items()}
    new = {name: node for name, node in now.items() if known.get(name) != ast.dump(node)}
    gone = [name for name, dump in known.items() if name not in now or ast.dump(now[name]) != dump]
    references = TargetReferences(tree, module, description)
    problems = [_problem("existing", name, None, f"the test {name}, which was there, is gone or changed") for name in gone]
    if not new and not then:
        problems.append(_problem("no_tests", None, None, "the file has no tests"))
    if new and not references.is_imported:
        problems.append(_problem("not_imported", None, None, f"{qualname} is not imported from {module}"))
    if new:
        problems += [
            _problem(rule, None, line, message) for rule, line, message in cheats_in_file(tree, references, path, target)
        ]
    helpers = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
    for name, node in new.items():
        problems += [_problem(rule, name, line, message) for rule, line, message in _check(node, references, helpers)]
        if not _is_named_well(name, description):
            function = str(description["name"]).strip("_")
            message = f"its name is not test_{function}_{{scenario}}_{{outcome}}"
            problems.append({**_problem("name", name, node.lineno, message), "severity": "warning"})
    return {"tests": list(now), "new": list(new), "problems": problems}


def tests_in(tree: ast.Module) -> dict[str, Function]:
    """Returns the tests of a file by name; those of a class are `Class::name`."""
    found: dict[str, Function] = {}
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test"):
            found[node.name] = node
        elif isinstance(node, ast.ClassDef):
            for each in node.body:
                if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)) and each.name.startswith("test"):
                    found[f"{node.name}::{each.name}"] = each
    return found


def _problem(rule: str, test: Optional[str], line: Optional[int], message: str) -> dict[str, Any]:
    return {"rule": rule, "test": test, "line": line, "message": message, "severity": "error"}


def _check(
    node: Function, references: TargetReferences, helpers: dict[str, Function]
) -> Iterator[tuple[str, int, str]]:
    for line, name in _skips(node):
        yield "skip", line, f"it is skipped or expected to fail ({name})"
    yield from cheats_in_test(node, references)
    found = Assertions(references, helpers).read(node)
    if not found.calls_target:
        yield "not_called", node.lineno, f"it does not call {references.qualname}"
        return
    for line, why in found.unsound:
        yield "tautology", line, why
    if not found.sound and not found.unsound:
        yield "no_assertion", node.lineno, f"it asserts nothing that depends on the call of {references.qualname}"


def _skips(node: Function) -> Iterator[tuple[int, str]]:
    for decorator in node.decorator_list:
        for each in ast.walk(decorator):
            name = call_name(each)
            if name is not None and name.split(".")[-1] in _SKIPS:
                yield decorator.lineno, name
    for each in ast.walk(node):
        if isinstance(each, ast.Call):
            name = call_name(each.func) or ""
            if name.split(".")[-1] in _SKIPS and name.split(".")[0] in {"pytest", "unittest", "self", *_SKIPS}:
                yield each.lineno, name


def _is_named_well(name: str, description: dict[str, Any]) -> bool:
    last = name.split("::")[-1]
    function = str(description["name"]).strip("_").lower()
    if not last.startswith("test_") or function not in last.lower():
        return False
    rest = last.lower().split(function, 1)[1].strip("_")
    return rest != ""
