"""The objects that a project's tests are given: fixtures of conftest.py, functions beside the tests. They are made by running these."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import os
import sys
import types
from typing import Any, Iterator, Optional

from ..search.time_limit import TooLong, limited
from ..test_runs import module_name
from ..values.built_objects import Built
from ..values.project_objects import FixtureObject, factory_objects, fixture_object

_PATIENCE = 5.0
_MOST_FILES = 20
_MOST_BYTES = 200_000


def project_objects(folders: list[str]) -> list[Built]:
    """Returns the objects of the fixtures of folders, the nearest first, and of the functions beside the tests."""
    known: dict[str, Optional[FixtureObject]] = {}
    parts: dict[str, tuple[Any, list[str]]] = {}
    for folder in folders:
        path = os.path.join(folder, "conftest.py")
        names = _fixture_names(path)
        module = _loaded(path, f"_conftest_{len(parts)}") if names else None
        for name in names if module is not None else ():
            function = _function_of(getattr(module, name, None))
            if function is not None:
                # The nearest one of a name is the one that tests get.
                parts.setdefault(name, (function, list(inspect.signature(function).parameters)))
    for name in parts:
        _resolve(name, parts, known)
    fixtures = [each for each in known.values() if each is not None and _is_of_project(each.cls)]
    return [*fixtures, *_of_functions(folders[:1])]


def _resolve(name: str, parts: dict[str, tuple[Any, list[str]]], known: dict[str, Optional[FixtureObject]]) -> Optional[FixtureObject]:
    """Returns the object of a fixture; None where it needs what is none of these, or cannot be made."""
    if name in known:
        return known[name]
    known[name] = None
    if name not in parts:
        return None
    function, parameters = parts[name]
    needed = {each: found for each in parameters if (found := _resolve(each, parts, known)) is not None}
    if len(needed) == len(parameters):
        try:
            with limited(_PATIENCE):
                known[name] = fixture_object(name, function, needed)
        except (Exception, SystemExit, TooLong):  # noqa: BLE001 - whatever the project's fixture does
            return None
    return known[name]


def _fixture_names(path: str) -> list[str]:
    """Returns the fixtures of a file by its own names that nothing shares with other tests."""
    tree = _tree(path)
    nodes = [] if tree is None else [each for each in tree.body if isinstance(each, ast.FunctionDef)]
    plain = ("pytest.fixture", "pytest.fixture()", "fixture", "fixture()")
    return [each.name for each in nodes if [ast.unparse(mark) for mark in each.decorator_list][:2] in [[text] for text in plain]]


def _function_of(fixture: Any) -> Any:
    """Returns the function that pytest made a fixture of; it hides it in other ways from version 8.4 on."""
    get = getattr(fixture, "_get_wrapped_function", None)
    return get() if get is not None else getattr(getattr(fixture, "__pytest_wrapped__", None), "obj", None)


def _loaded(path: str, name: str) -> Optional[types.ModuleType]:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    try:
        with limited(_PATIENCE):
            spec.loader.exec_module(module)
    except (Exception, SystemExit, TooLong):  # noqa: BLE001 - whatever the project's file does
        return None
    return module


def _of_functions(folders: list[str]) -> Iterator[Built]:
    """Yields the objects that public functions of other files beside the tests make without arguments."""
    for folder in folders:
        if folder in ("", "."):
            continue
        is_package = os.path.exists(os.path.join(folder, "__init__.py"))
        for path in sorted(os.path.join(folder, each) for each in os.listdir(folder))[:_MOST_FILES] if os.path.isdir(folder) else ():
            base = os.path.basename(path)
            tree = None if base.startswith(("test_", "conftest", "_")) or base.endswith("_test.py") else _tree(path)
            names = [] if tree is None else [each.name for each in tree.body if isinstance(each, ast.FunctionDef) and _needs_nothing(each)]
            if not names:
                continue
            module_path = module_name(path) if is_package else base[: -len(".py")]
            module = sys.modules.get(module_path) or _loaded(path, module_path)
            if module is not None:
                sys.modules.setdefault(module_path, module)
                functions = [function for each in names if inspect.isfunction(function := getattr(module, each, None))]
                with limited(_PATIENCE):
                    yield from factory_objects(functions, _is_of_project)


def _needs_nothing(node: ast.FunctionDef) -> bool:
    count = len(node.args.posonlyargs) + len(node.args.args)
    return not node.name.startswith(("_", "test")) and not node.decorator_list and count == len(node.args.defaults) and None not in node.args.kw_defaults


def _tree(path: str) -> Optional[ast.Module]:
    try:
        with open(path, encoding="utf-8") as file:
            return ast.parse(file.read(_MOST_BYTES)) if path.endswith(".py") else None
    except (OSError, ValueError, SyntaxError):
        return None


def _is_of_project(cls: type) -> bool:
    """Whether nothing but the project's tests says how an object is made: plain values are none, and neither is what the tests define."""
    return cls.__module__ not in ("builtins", "datetime", "decimal", "pathlib", "uuid") and not cls.__module__.startswith("_conftest_")
