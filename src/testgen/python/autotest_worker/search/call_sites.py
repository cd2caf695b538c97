"""Inputs from the calls of a function elsewhere in the project: its other modules, its scripts, its tests."""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import sys
import types
from typing import Any, Iterator, Optional

from ..functions import Function
from ..values.built_objects import Built
from ..values.render import NotRenderable, render
from .target import Input, Target

_MOST_FILES = 2000
_MOST_BYTES = 400_000
_MOST_CALLS = 40
_MOST_ROWS = 8
_SKIPPED = {"node_modules", "__pycache__", "site-packages", "venv", "env", "build", "dist"}
#: Modules whose objects may be made while reading a call.
_STANDARD = {"datetime", "decimal", "fractions", "collections", "pathlib", "enum", "uuid", "ipaddress", "math"}
#: What a name stands for, by the expressions that are assigned to it.
Names = dict[str, ast.expr]


class CallSites:
    """The calls of one function in the files of the folder."""

    def __init__(self, target: Target, path: str, folder: str = ".") -> None:
        self._target = target
        self._path = path
        self._folder = folder

    def read(self) -> list[Input]:
        """Returns the inputs of calls whose arguments can be read from the code without running it."""
        inputs: list[Input] = []
        for path in self._files():
            try:
                with open(path, encoding="utf-8") as file:
                    text = file.read(_MOST_BYTES)
                if self._word not in text:
                    continue
                tree = ast.parse(text)
            except (OSError, ValueError, SyntaxError, RecursionError):
                continue
            is_own = os.path.realpath(path) == os.path.realpath(self._path)
            around = vars(self._target.module) if is_own else imported_names(tree, self._target.module)
            inputs += self._inputs_of(tree.body, {}, dict(around))
            if len(inputs) >= _MOST_CALLS:
                break
        return inputs[:_MOST_CALLS]

    @property
    def _word(self) -> str:
        return self._target.owner.__name__ if self._target.name == "__init__" else self._target.name

    def _files(self) -> Iterator[str]:
        """Yields Python files, those near the function first."""
        found = 0
        near = os.path.dirname(self._path)
        folders = [each for each in (near, self._folder) if os.path.isdir(each)]
        seen: set[str] = set()
        for start in folders:
            for folder, below, names in os.walk(start):
                below[:] = sorted(each for each in below if not each.startswith(".") and each not in _SKIPPED)
                for name in sorted(names):
                    path = os.path.realpath(os.path.join(folder, name))
                    if name.endswith(".py") and path not in seen:
                        seen.add(path)
                        found += 1
                        if found > _MOST_FILES:
                            return
                        yield path

    def _inputs_of(self, body: list[ast.stmt], around: Names, imported: dict[str, Any]) -> Iterator[Input]:
        """Yields the inputs in statements, in which names stand for what was last assigned to them."""
        names = dict(around)
        for statement in body:
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                for row in _parametrized(statement):
                    yield from self._inputs_of(statement.body, {**names, **row}, imported)
                continue
            if isinstance(statement, ast.ClassDef):
                yield from self._inputs_of(statement.body, names, imported)
                continue
            inner = [each for each in ast.iter_child_nodes(statement) if isinstance(each, ast.stmt)]
            if inner:
                yield from self._inputs_of(inner, names, imported)
            else:
                for call in ast.walk(statement):
                    if isinstance(call, ast.Call):
                        given = self._input_of(call, names, imported)
                        if given is not None:
                            yield given
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
                names[statement.targets[0].id] = statement.value

    def _input_of(self, call: ast.Call, names: Names, imported: dict[str, Any]) -> Optional[Input]:
        called = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", None)
        if self._target.role == "property" or self._target.needs_receiver and called != self._word:
            return None
        values = Values(imported, names)
        try:
            receiver = None
            if self._target.needs_receiver:
                if not isinstance(call.func, ast.Attribute):
                    return None
                receiver = values.of(call.func.value)
                if not isinstance(receiver, Built) or not issubclass(receiver.cls, self._target.owner):
                    return None
            elif not self._is_target(values.object_of(call.func)):
                return None
            args = [values.of(each) for each in call.args]
            kwargs = {each.arg: values.of(each.value) for each in call.keywords if each.arg}
            for each in (*args, *kwargs.values()):
                render(each)
            return Input(args, kwargs, receiver, "call site")
        except (NotReadable, NotRenderable, RecursionError):
            return None


    def _is_target(self, called: Any) -> bool:
        """Whether what is called is the function, and not another one of its name."""
        if self._target.name == "__init__":
            return called is self._target.owner
        function = inspect.getattr_static(self._target.owner, self._target.name)
        return called is not None and called is function


class NotReadable(Exception):
    """An expression whose value is not known without running the code around it."""


class Values:
    """The values of expressions that consist of literals, names of such, and objects of classes."""

    def __init__(self, namespace: dict[str, Any], names: Names) -> None:
        self._namespace = namespace
        self._names = names

    def of(self, node: ast.expr, depth: int = 0) -> Any:
        """Returns a value; objects of the project as the calls that make them. Raises NotReadable."""
        if depth > 6:
            raise NotReadable
        inner = lambda each: self.of(each, depth + 1)  # noqa: E731
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.List):
            return [inner(each) for each in node.elts]
        if isinstance(node, ast.Tuple):
            return tuple(inner(each) for each in node.elts)
        if isinstance(node, (ast.Set, ast.Dict)):
            try:
                if isinstance(node, ast.Set):
                    return {inner(each) for each in node.elts}
                return {inner(key): inner(value) for key, value in zip(node.keys, node.values) if key is not None}
            except TypeError as error:
                raise NotReadable from error
        if isinstance(node, ast.Name) and node.id in self._names:
            return inner(self._names[node.id])
        if isinstance(node, (ast.UnaryOp, ast.BinOp)):
            return self._computed(node, depth)
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self._constant(node)
        if isinstance(node, ast.Call):
            return self._made(node, depth)
        raise NotReadable

    def _computed(self, node: Any, depth: int) -> Any:
        parts = [node.operand] if isinstance(node, ast.UnaryOp) else [node.left, node.right]
        values = {f"part_{at}": self.of(each, depth + 1) for at, each in enumerate(parts)}
        if any(type(each) not in (int, float, complex, str, list, tuple, bytes) for each in values.values()):
            raise NotReadable
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Pow, ast.LShift, ast.Mult)):
            sizes = [each if isinstance(each, (int, float)) else len(each) for each in values.values() if type(each) is not complex]
            if any(abs(each) > 100_000 for each in sizes) or isinstance(node.op, (ast.Pow, ast.LShift)) and abs(sizes[-1]) > 200:
                raise NotReadable
        named = [ast.Name(name, ast.Load()) for name in values]
        made: Any = ast.UnaryOp(node.op, named[0]) if len(named) == 1 else ast.BinOp(named[0], node.op, named[1])
        try:
            return eval(compile(ast.fix_missing_locations(ast.Expression(made)), "<call>", "eval"), {}, values)  # noqa: S307
        except Exception as error:
            raise NotReadable from error

    def object_of(self, node: ast.expr) -> Any:
        """Returns what a dotted name means; no property is asked, as that runs code."""
        if isinstance(node, ast.Name):
            if node.id in self._namespace:
                return self._namespace[node.id]
            return getattr(sys.modules["builtins"], node.id, None)
        if isinstance(node, ast.Attribute):
            owner = self.object_of(node.value)
            if inspect.ismodule(owner) or inspect.isclass(owner):
                return vars(owner).get(node.attr)
        return None

    def _constant(self, node: ast.expr) -> Any:
        value = self.object_of(node)
        try:
            render(value)
        except NotRenderable as error:
            raise NotReadable from error
        if value is None:
            raise NotReadable
        return value

    def _made(self, node: ast.Call, depth: int) -> Any:
        cls = self.object_of(node.func)
        if not inspect.isclass(cls):
            raise NotReadable
        args = [self.of(each, depth + 1) for each in node.args]
        kwargs = {each.arg: self.of(each.value, depth + 1) for each in node.keywords if each.arg}
        try:
            if cls.__module__ in _STANDARD or cls in (list, tuple, set, frozenset, dict, int, float, str, bytes, bool, complex):
                return cls(*args, **kwargs)
            return Built.of(cls, args, kwargs)
        except Exception as error:
            raise NotReadable from error


def imported_names(tree: ast.Module, own: types.ModuleType) -> dict[str, Any]:
    """Returns what a file imports, as far as it is loaded or of the standard library: nothing is run for it.

    `own` is the module of the function, by whatever path it is imported.
    """
    found: dict[str, Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                module = _loaded(each.name, own)
                if module is not None:
                    name = each.asname or each.name.split(".")[0]
                    found[name] = module if each.asname or "." not in each.name else sys.modules.get(name)
        elif isinstance(node, ast.ImportFrom):
            names = vars(_loaded(node.module or "", own) or types.ModuleType("none"))
            for each in node.names:
                if each.name == "*":
                    found.update({name: value for name, value in names.items() if not name.startswith("_")})
                elif each.name in names:
                    found[each.asname or each.name] = names[each.name]
                elif _last(each.name) == _last(own.__name__):
                    found[each.asname or each.name] = own
    return found


def _loaded(name: str, own: types.ModuleType) -> Optional[types.ModuleType]:
    if name in _STANDARD:
        return importlib.import_module(name)
    return own if name and _last(name) == _last(own.__name__) else sys.modules.get(name)


def _last(name: str) -> str:
    return name.split(".")[-1]


def _parametrized(node: Function) -> list[Names]:
    """Returns what the parameters of a test stand for in each row of `pytest.mark.parametrize`; one empty row else."""
    for decorator in node.decorator_list:
        if not isinstance(decorator, ast.Call) or not ast.unparse(decorator.func).endswith("parametrize"):
            continue
        if len(decorator.args) < 2 or not isinstance(decorator.args[1], (ast.List, ast.Tuple)):
            continue
        said = decorator.args[0]
        if isinstance(said, ast.Constant) and isinstance(said.value, str):
            names = [each.strip() for each in said.value.split(",")]
        else:
            names = [each.value for each in getattr(said, "elts", []) if isinstance(each, ast.Constant)]
        rows: list[Names] = []
        for row in decorator.args[1].elts[:_MOST_ROWS]:
            if isinstance(row, ast.Call):
                row = ast.Tuple(row.args, ast.Load()) if len(names) > 1 else (row.args or [row])[0]
            values = list(row.elts) if len(names) > 1 and isinstance(row, (ast.Tuple, ast.List)) else [row]
            if len(values) == len(names):
                rows.append(dict(zip(names, values)))
        return rows or [{}]
    return [{}]
