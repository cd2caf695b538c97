"""Says which functions of the project each test of a file calls."""

from __future__ import annotations

import ast
import hashlib
from typing import Any

from .functions import describe_file, read_source


def tested_functions(path: str) -> list[dict[str, Any]]:
    """Returns each test with the functions that it names and the file imports, as `module` and `name`, the test's own subject first.

    Raises SyntaxError.
    """
    tree = ast.parse(read_source(path), path)
    imported: dict[str, tuple[str, str]] = {}
    modules: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            for each in node.names:
                imported[each.asname or each.name] = (node.module, each.name)
        elif isinstance(node, ast.Import):
            modules.update({each.asname or each.name: each.name for each in node.names})
    found = []
    for owner, test in _tests(tree):
        called = [each for each in (_called(node, imported, modules) for node in ast.walk(test)) if each is not None]
        unique = list(dict.fromkeys(called))
        # A test is named after what it tests.
        unique.sort(key=lambda each: each[1].split(".")[-1].lower() not in test.name.lower())
        name = f"{owner}::{test.name}" if owner else test.name
        found.append({"test": name, "functions": [{"module": module, "name": function} for module, function in unique]})
    return found


def _tests(tree: ast.Module) -> list[tuple[str, "ast.FunctionDef | ast.AsyncFunctionDef"]]:
    found: list[tuple[str, "ast.FunctionDef | ast.AsyncFunctionDef"]] = []
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test"):
            found.append(("", node))
        elif isinstance(node, ast.ClassDef):
            found += [
                (node.name, each)
                for each in node.body
                if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)) and each.name.startswith("test")
            ]
    return found


def _called(node: ast.AST, imported: dict[str, tuple[str, str]], modules: dict[str, str]) -> "tuple[str, str] | None":
    if isinstance(node, ast.Name) and node.id in imported:
        return imported[node.id]
    if isinstance(node, ast.Attribute):
        parts: list[str] = [node.attr]
        inner: ast.expr = node.value
        while isinstance(inner, ast.Attribute):
            parts.insert(0, inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name):
            for at in range(len(parts), 0, -1):
                module = ".".join([inner.id, *parts[: at - 1]])
                if module in modules:
                    return modules[module], ".".join(parts[at - 1 :])
    return None


def function_contents(path: str) -> list[dict[str, str]]:
    """Returns each function of a file with a hash of its content, its name left out: a renamed one has the same."""
    source = read_source(path)
    tree = ast.parse(source, path)
    nodes = {node.lineno: node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
    found = []
    for each in describe_file(source, path):
        node = nodes.get(each["line"])
        if node is None or each["is_nested"] or each["is_overload"]:
            continue
        content = ast.dump(node.args) + "".join(_dump(statement, node.name) for statement in node.body)
        found.append({"qualname": each["qualname"], "content": hashlib.sha256(content.encode()).hexdigest()[:16]})
    return found


def _dump(statement: ast.stmt, own: str) -> str:
    """A function that calls itself has its name in its content."""
    return ast.dump(statement).replace(f"id='{own}'", "id=''")
