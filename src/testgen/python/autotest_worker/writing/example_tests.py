"""Writes tests from the examples in acceptance criteria: `add(1, 2) == 3`, `add("x") raises TypeError`."""

from __future__ import annotations

import ast
import builtins
import re
from typing import Any, Iterator, Optional

from ..functions import read_source
from ..test_runs import module_name

_OUTCOME = re.compile(r"^(?P<call>.+?)\s*(?:==|=>|->|→|\breturns\b|\bgives\b|\bis equal to\b|\bis\b(?! not\b))\s*(?P<value>.+?)\.?$", re.S)
_RAISES = re.compile(r"^(?P<call>.+?)\s+(?:raises|fails with|throws)\s+(?:an?\s+)?(?P<error>[A-Za-z_][\w.]*)", re.S)
_IMPORT = re.compile(r"^from\s+([\w.]+)\s+import\s+([\w,\s]+)$")
_PATH = re.compile(r"^(?P<path>[\w./-]+\.py)\s*(?:::|:)\s*(?P<rest>.*)$")
_DEFINED = re.compile(r"(?:async\s+def|def|class)\s+([A-Za-z_]\w*)")


def interfaces_of(interfaces: list[str]) -> dict[str, str]:
    """Returns the module of each name that is, or will be, there."""
    known: dict[str, str] = {}
    for line in (each.strip().strip("`") for each in interfaces):
        imported = _IMPORT.match(line)
        placed = _PATH.match(line)
        if imported is not None:
            known.update({name.strip(): imported[1] for name in imported[2].split(",") if name.strip()})
        elif placed is not None:
            module = module_name(placed["path"])
            names = _DEFINED.findall(placed["rest"]) or re.findall(r"[A-Za-z_]\w*", placed["rest"].split("(")[0])
            known.update({name: module for name in names})
        elif re.fullmatch(r"[A-Za-z_][\w.]*\.[A-Za-z_]\w*", line):
            module, name = line.rsplit(".", 1)
            known[name] = module
    return known


def tests_of_examples(criteria: list[str], interfaces: list[str], sources: list[str], existing: str) -> dict[str, Any]:
    """Returns a test file with a test for each example; `without` are the criteria that have none, `unknown` the names that nobody has placed."""
    known = interfaces_of(interfaces)
    tests: list[tuple[str, str]] = []
    imports: dict[str, set[str]] = {}
    without: list[str] = []
    unknown: set[str] = set()
    taken = set(re.findall(r"def (test_\w+)", existing))
    needs_pytest = False
    for criterion, examples in _examples(criteria):
        made = False
        for example in examples:
            test = _test_of(example, taken)
            if test is None:
                continue
            name, body, roots, raises = test
            missing = {each for each in roots if each not in known and not _find(each, sources, known)}
            if missing:
                unknown |= missing
                continue
            made = True
            if body in existing:
                continue
            taken.add(name)
            needs_pytest |= raises
            for each in roots:
                imports.setdefault(known[each], set()).add(each)
            tests.append((name, f'def {name}():\n    """{_quoted(example)}"""\n{body}\n'))
        if not made:
            without.append(criterion)
    text = _file(existing, imports, needs_pytest, [each for _, each in tests]) if tests else existing
    return {
        "text": text,
        "names": [name for name, _ in tests],
        "modules": sorted(set(known.values())),
        "without": without,
        "unknown": sorted(unknown),
    }


def _examples(criteria: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Yields each criterion with what in it may be an example: its code, or all of it."""
    at = 0
    while at < len(criteria):
        line = criteria[at].strip()
        at += 1
        if line.startswith(">>>"):
            shown = criteria[at].strip() if at < len(criteria) and not criteria[at].strip().startswith(">>>") else ""
            at += bool(shown)
            yield line, [f"{line[3:].strip()} == {shown}"] if shown else []
            continue
        spans = re.findall(r"`([^`]+)`", line)
        joined = re.sub(r"`([^`]+)`", r"\1", line)
        yield line, list(dict.fromkeys([*spans, joined, *(joined.split(": ", 1)[1:])]))


def _test_of(example: str, taken: set[str]) -> Optional[tuple[str, str, list[str], bool]]:
    """Returns name, body, the names to import, and whether an exception is expected."""
    raised = _RAISES.match(example)
    told = _OUTCOME.match(example)
    if raised is not None:
        call, error = _expression(raised["call"]), raised["error"]
        if call is None or not isinstance(getattr(builtins, error.split(".")[0], None), type):
            return None
        roots = _roots(call)
        if not roots:
            return None
        source = ast.unparse(call)
        name = _name(call, f"raises_{_snake(error)}", taken)
        return name, f"    with pytest.raises({error}):\n        {source}", roots, True
    if told is None:
        return None
    call, value = _expression(told["call"]), _expression(told["value"])
    if call is None or value is None:
        return None
    roots = _roots(call)
    if not roots or any(name not in roots and not hasattr(builtins, name) for name in _names(value)):
        return None
    expected = ast.unparse(value)
    operator = "is" if isinstance(value, ast.Constant) and value.value in (None, True, False) and not isinstance(value.value, (int, float)) or expected in ("True", "False", "None") else "=="
    if isinstance(value, ast.Constant) and isinstance(value.value, float):
        return _name(call, f"returns_{_snake(expected)}", taken), f"    assert {ast.unparse(call)} == pytest.approx({expected})", roots, True
    return _name(call, f"returns_{_snake(expected)}", taken), f"    assert {ast.unparse(call)} {operator} {expected}", roots, False


def _expression(text: str) -> Optional[ast.expr]:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None


def _roots(call: ast.expr) -> list[str]:
    """Returns the names that a call needs and Python does not have; none where nothing is called."""
    if not any(isinstance(each, ast.Call) for each in ast.walk(call)):
        return []
    bound = {each.id for each in ast.walk(call) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    return [each for each in dict.fromkeys(_names(call)) if not hasattr(builtins, each) and each not in bound]


def _names(node: ast.AST) -> list[str]:
    return [each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)]


def _find(name: str, sources: list[str], known: dict[str, str]) -> bool:
    """Adds the module of a name that one source alone defines."""
    found = []
    for path in sources:
        try:
            tree = ast.parse(read_source(path))
        except (SyntaxError, ValueError, OSError):
            continue
        if any(getattr(each, "name", None) == name for each in tree.body):
            found.append(module_name(path))
    if len(found) == 1:
        known[name] = found[0]
    return len(found) == 1


def _name(call: ast.expr, outcome: str, taken: set[str]) -> str:
    node: ast.AST = call
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Await)):
        node = node.value
    inner = next((each for each in ast.walk(call) if isinstance(each, ast.Call)), None)
    function = _snake(ast.unparse(inner.func)) if inner is not None else "it"
    arguments = inner.args + [each.value for each in inner.keywords] if inner is not None else []
    scenario = "_".join(_snake(ast.unparse(each)) or "empty" for each in arguments) or "without_arguments"
    base = re.sub(r"_+", "_", f"test_{function}_{scenario[:40].strip('_')}_{outcome}"[:90]).rstrip("_")
    name, number = base, 2
    while name in taken:
        name, number = f"{base}_{number}", number + 1
    return name


def _snake(text: str) -> str:
    words = re.sub(r"([a-z])([A-Z])", r"\1_\2", text.replace("-", "minus_").replace("[]", "empty_list").replace("{}", "empty_dict").replace("''", "empty"))
    return re.sub(r"\W+", "_", words).strip("_").lower()


def _quoted(example: str) -> str:
    return example.replace("\\", "\\\\").replace('"""', "'''").rstrip('"')


def _file(existing: str, imports: dict[str, set[str]], needs_pytest: bool, tests: list[str]) -> str:
    lines = [f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(imports.items())]
    if existing.strip() == "":
        head = (["import pytest", ""] if needs_pytest else []) + lines
        return "\n".join(head) + "\n\n\n" + "\n\n".join(tests)
    if needs_pytest and not re.search(r"^import pytest\b", existing, re.M):
        lines.insert(0, "import pytest")
    missing = [line for line in lines if line not in existing]
    tree = ast.parse(existing)
    last = max((each.end_lineno or 0 for each in tree.body if isinstance(each, (ast.Import, ast.ImportFrom))), default=0)
    if last == 0 and tree.body and isinstance(tree.body[0], ast.Expr) and isinstance(tree.body[0].value, ast.Constant):
        last = tree.body[0].end_lineno or 0
    before = existing.split("\n")
    return "\n".join([*before[:last], *missing, *before[last:]]).rstrip("\n") + "\n\n\n" + "\n\n".join(tests)
