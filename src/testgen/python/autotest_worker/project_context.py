"""What a writer of tests should know of a project: packages, framework, patterns and fixtures of its tests, and what a function imports."""

from __future__ import annotations

import ast
import importlib.metadata
import os
import re
import sys
from typing import Any, Iterator, Optional

from .functions import find_node, read_source

_MOST_PATTERNS = 5
_MOST_CHARACTERS = 2000
#: Modules whose calls reach beyond the process, or differ from run to run.
_OUTSIDE = {
    "requests", "httpx", "urllib", "urllib3", "aiohttp", "socket", "smtplib", "ftplib", "boto3", "botocore", "psycopg2", "psycopg", "sqlite3",
    "pymysql", "mysql", "redis", "pymongo", "sqlalchemy", "subprocess", "os", "shutil", "pathlib", "tempfile", "time", "datetime", "random", "uuid",
    "secrets", "open", "input", "logging", "smtp", "paramiko", "kafka", "celery", "google", "azure", "openai",
}  # fmt: skip
#: Parts of such modules that only calculate.
_HARMLESS = {"os.path", "pathlib.PurePath", "datetime.timedelta", "urllib.parse", "os.environ"}


def project_context(files: list[str]) -> dict[str, Any]:
    """Returns dependencies, the framework, samples of tests and the fixtures of conftest files."""
    tests = [path for path in files if re.search(r"(^|/)(test_[^/]*|[^/]*_test)\.py$", path)]
    texts = [(path, text) for path, text in ((path, _text(path)) for path in tests[:200]) if text is not None]
    conftests = [path for path in files if path.rsplit("/", 1)[-1] == "conftest.py"]
    return {
        "dependencies": _dependencies(),
        "test_framework": _framework(texts, files),
        "existing_patterns": list(_patterns(texts)),
        "conftest": {path: fixtures for path in conftests if (fixtures := _fixtures(path))},
    }


def _dependencies() -> list[str]:
    return sorted({f"{each.metadata['Name']}=={each.version}" for each in importlib.metadata.distributions() if each.metadata["Name"]})


def _framework(texts: list[tuple[str, str]], files: list[str]) -> str:
    """Returns what most tests are written with; pytest where there are none."""
    classes = sum("unittest.TestCase" in text or re.search(r"\(TestCase\)", text) is not None for _, text in texts)
    return "unittest" if classes > len(texts) / 2 and not any(path.endswith(("pytest.ini", "conftest.py")) for path in files) else "pytest"


def _patterns(texts: list[tuple[str, str]]) -> Iterator[dict[str, str]]:
    """Yields a test of each of a few files, the shortest that asserts something."""
    for path, text in texts[:_MOST_PATTERNS]:
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        tests = [each for each in ast.walk(tree) if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)) and each.name.startswith("test")]
        shown = sorted((ast.get_source_segment(text, each) or "" for each in tests), key=len)
        sample = next((each for each in shown if "assert" in each), None)
        if sample is not None:
            yield {"file": path, "test": sample[:_MOST_CHARACTERS]}


def _fixtures(path: str) -> list[dict[str, Any]]:
    text = _text(path)
    if text is None:
        return []
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return []
    return [
        {"name": each.name, "docstring": ast.get_docstring(each)}
        for each in tree.body
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)) and any("fixture" in ast.unparse(mark) for mark in each.decorator_list)
    ]


def analyze_imports(path: str, function_name: str) -> dict[str, Any]:
    """Returns the modules that a file imports, those that a function uses, and calls of it that a test may have to replace."""
    tree = ast.parse(read_source(path), path)
    target = find_node(tree, function_name)
    if target is None:
        raise LookupError(f"{path} has no function {function_name}")
    bound: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            bound.update({(each.asname or each.name.split(".")[0]): (each.name if each.asname else each.name.split(".")[0]) for each in node.names})
        elif isinstance(node, ast.ImportFrom):
            origin = "." * node.level + (node.module or "")
            bound.update({(each.asname or each.name): f"{origin}.{each.name}" for each in node.names})
    used = {each.id for each in ast.walk(target) if isinstance(each, ast.Name) and each.id in bound}
    local = {each.name for each in tree.body if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))}
    candidates = {name for call in ast.walk(target) if isinstance(call, ast.Call) and (name := _outside_call(call, bound, local, target.name))}
    return {
        "direct_imports": sorted(set(bound.values())),
        "used_by_function": sorted({bound[name] for name in used}),
        "mock_candidates": sorted(candidates),
    }


def _outside_call(call: ast.Call, bound: dict[str, str], local: set[str], own: str) -> Optional[str]:
    """Returns the full name of a call that reaches outside; never one of the function itself, nor of what only calculates."""
    parts: list[str] = []
    node: ast.expr = call.func
    while isinstance(node, ast.Attribute):
        parts.insert(0, node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id == own:
        return None
    if node.id in ("open", "input") and not parts:
        return f"builtins.{node.id}"
    if node.id not in bound or node.id in local:
        return None
    name = ".".join([bound[node.id], *parts])
    root = name.lstrip(".").split(".")[0]
    if any(name == each or name.startswith(f"{each}.") for each in _HARMLESS):
        return None
    is_foreign = root not in sys.stdlib_module_names if hasattr(sys, "stdlib_module_names") else False
    return name if root in _OUTSIDE or (is_foreign and name[0] != "." and _is_installed(root)) else None


def _is_installed(root: str) -> bool:
    """Whether a module is none of the project's own."""
    return not (os.path.exists(root) or os.path.exists(f"{root}.py") or os.path.exists(f"src/{root}") or os.path.exists(f"src/{root}.py"))


def _text(path: str) -> Optional[str]:
    try:
        return read_source(path)
    except (OSError, SyntaxError, ValueError):
        return None
