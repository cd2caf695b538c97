"""The import statements of a test file: written, and added to those that are there."""

from __future__ import annotations

import ast
import re
import sys
from typing import Iterator, Optional

from .code_format import formatted

#: A module, and a name of it; None: the module itself.
Import = tuple[str, Optional[str]]
_STANDARD = frozenset(getattr(sys, "stdlib_module_names", ())) or frozenset(
    {"asyncio", "collections", "datetime", "decimal", "enum", "fractions", "itertools", "math", "pathlib", "re", "uuid"}
)


def import_lines(imports: set[Import], width: int) -> str:
    """Returns statements for imports in groups: the standard library, others, the project."""
    groups: tuple[list[str], list[str], list[str]] = ([], [], [])
    for module, line in _statements(imports, width):
        groups[_group(module)].append(line)
    return "\n\n".join("\n".join(group) for group in groups if group) + "\n"


def _statements(imports: set[Import], width: int) -> Iterator[tuple[str, str]]:
    """Yields modules and their statements, sorted; `import a` comes before `from a import b`."""
    modules: dict[tuple[str, bool], set[str]] = {}
    for module, name in imports:
        modules.setdefault((module, name is not None), set()).add(name or "")
    for (module, has_names), names in sorted(modules.items()):
        yield module, _from_line(module, names, width) if has_names else f"import {module}"


def _from_line(module: str, names: set[str], width: int) -> str:
    listed = ", ".join(sorted(names, key=_order))
    line = f"from {module} import {listed}"
    return line if len(line) <= width else "\n".join(formatted(f"from {module} import ({listed})", 0, width))


def _order(name: str) -> tuple[int, str]:
    """Sorts constants first, then classes, then functions, as isort does."""
    return (0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2, name)


def _group(module: str) -> int:
    first = module.split(".")[0]
    return 0 if first in _STANDARD else 1 if first == "pytest" else 2


def with_imports(existing: str, imports: set[Import], width: int, is_own: bool) -> str:
    """Adds the imports that a file lacks, after those of their group; lines that are there change only in a file of our own."""
    tree = ast.parse(existing)
    statements = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    missing = imports - {each for node in statements for each in _imported_by(node)}
    if not missing:
        return existing
    lines = existing.split("\n")
    extended: dict[int, str] = {}
    dropped: set[int] = set()
    for node in statements:
        names = {name for module, name in missing if isinstance(node, ast.ImportFrom) and module == node.module and name}
        if is_own and isinstance(node, ast.ImportFrom) and names and node.level == 0 and _is_plain(lines, node):
            extended[node.lineno] = _from_line(node.module or "", names | {each.name for each in node.names}, width)
            dropped |= set(range(node.lineno + 1, (node.end_lineno or node.lineno) + 1))
            missing -= {(node.module or "", name) for name in names}
    added = _places(tree, statements, missing, width)
    text: list[str] = []
    for number, line in enumerate(lines, 1):
        if number not in dropped:
            text.append(extended.get(number, line))
        text += added.get(number, [])
    return "\n".join([*added.get(0, []), *text])


def _imported_by(node: ast.stmt) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        yield from ((each.name, None) for each in node.names if each.asname is None)
    elif isinstance(node, ast.ImportFrom) and node.level == 0:
        yield from ((node.module or "", f"{each.name} as {each.asname}" if each.asname else each.name) for each in node.names)


def _is_plain(lines: list[str], node: ast.ImportFrom) -> bool:
    """Whether the lines of a statement say nothing else: no comments, no second statement."""
    text = "\n".join(line.rstrip("\r") for line in lines[node.lineno - 1 : node.end_lineno])
    is_named = all(each.asname is None and each.name != "*" for each in node.names)
    return is_named and re.fullmatch(r"from [\w.]+ import (?:[\w, ]+|\([\w,\s]+\))", text) is not None


def _places(tree: ast.Module, statements: list[ast.stmt], missing: set[Import], width: int) -> dict[int, list[str]]:
    """Returns the lines to add, by the number of the line that they follow."""
    added: dict[int, list[str]] = {}
    for group in range(3):
        mine = {each for each in missing if _group(each[0]) == group}
        if not mine:
            continue
        alike = [node for node in statements if any(_group(module) == group for module, _ in _imported_by(node))]
        texts = [line for _, statement in _statements(mine, width) for line in statement.split("\n")]
        if alike:
            added.setdefault(_end(alike[-1]), []).extend(texts)
            continue
        # A group of its own: after what comes before it, with an empty line between.
        before = [node for node in statements if all(_group(module) < group for module, _ in _imported_by(node))]
        if before:
            added.setdefault(_end(before[-1]), []).extend(["", *texts])
        elif statements:
            added.setdefault(statements[0].lineno - 1, []).extend([*texts, ""])
        else:
            added.setdefault(_docstring_end(tree), []).extend(["", *texts] if _docstring_end(tree) else [*texts, ""])
    return added


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _docstring_end(tree: ast.Module) -> int:
    first = tree.body[0] if tree.body else None
    is_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    return _end(first) if first is not None and is_docstring else 0
