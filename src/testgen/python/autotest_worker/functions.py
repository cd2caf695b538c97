"""Describes the functions of a Python file from its syntax tree, without importing it."""

from __future__ import annotations

import ast
import tokenize
from typing import Any, Iterator, Optional, Union

Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]

_ROLE_DECORATORS = {"staticmethod": "staticmethod", "classmethod": "classmethod"}
_PROPERTY_DECORATORS = {"property", "cached_property", "functools.cached_property"}


def read_source(path: str) -> str:
    """Returns the text of a file in the encoding that it declares. Raises SyntaxError for one that it has not."""
    with tokenize.open(path) as file:
        return file.read()


def describe_file(source: str, filename: str) -> list[dict[str, Any]]:
    """Returns one description for each function, in the order of the file. Raises SyntaxError."""
    tree = ast.parse(source, filename, type_comments=True)
    found = [
        _describe(node, qualname, parents)
        for node, qualname, parents in _functions(tree, "", ())
    ]
    overloads = {each["qualname"] for each in found if each["is_overload"]}
    for each in found:
        each["overloads"] = each["qualname"] in overloads and not each["is_overload"]
    return found


def implementations(source: str, filename: str) -> list[dict[str, Any]]:
    """Returns the functions that can be called: no overload stubs, the last of several definitions."""
    last: dict[str, dict[str, Any]] = {}
    for each in describe_file(source, filename):
        if not each["is_overload"] and each["role"] not in ("setter", "deleter"):
            last[each["qualname"]] = each
    return list(last.values())


def find_node(tree: ast.AST, qualname: str) -> Optional[Function]:
    """Returns the implementation that the name means at run time; None if there is none."""
    found = [
        node
        for node, name, _ in _functions(tree, "", ())
        if name == qualname and not _is_overload(node) and _role(node) not in ("setter", "deleter")
    ]
    return found[-1] if found else None


def _functions(
    node: ast.AST, prefix: str, parents: tuple[ast.AST, ...]
) -> Iterator[tuple[Function, str, tuple[ast.AST, ...]]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield child, prefix + child.name, parents
            yield from _functions(child, f"{prefix}{child.name}.<locals>.", (*parents, child))
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.", (*parents, child))
        else:
            yield from _functions(child, prefix, parents)


def _describe(node: Function, qualname: str, parents: tuple[ast.AST, ...]) -> dict[str, Any]:
    in_class = bool(parents) and isinstance(parents[-1], ast.ClassDef)
    role = _role(node) if in_class else "function"
    return {
        "name": node.name,
        "qualname": qualname,
        "role": role,
        "class_name": parents[-1].name if in_class else None,  # type: ignore[attr-defined]
        "is_nested": any(isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)) for parent in parents),
        "is_async": isinstance(node, ast.AsyncFunctionDef),
        "is_generator": _yields(node) and not _is_context_manager(node),
        "is_context_manager": _is_context_manager(node),
        "is_overload": _is_overload(node),
        "decorators": [ast.unparse(each) for each in node.decorator_list],
        "parameters": _parameters(node, role),
        "returns": _annotation(node.returns) or _returns_of_comment(node),
        "type_comment": node.type_comment,
        "type_parameters": [ast.unparse(each) for each in getattr(node, "type_params", [])],
        "docstring": ast.get_docstring(node),
        "raises": _raises(node),
        "line": min([node.lineno, *(each.lineno for each in node.decorator_list)]),
        "end_line": node.end_lineno,
    }


def _role(node: Function) -> str:
    for decorator in node.decorator_list:
        name = ast.unparse(decorator)
        if name in _ROLE_DECORATORS:
            return _ROLE_DECORATORS[name]
        if name in _PROPERTY_DECORATORS:
            return "property"
        if name.endswith((".setter", ".deleter")):
            return name.rsplit(".", 1)[1]
    return "classmethod" if node.name in ("__init_subclass__", "__class_getitem__") else (
        "staticmethod" if node.name == "__new__" else "method"
    )


def _is_context_manager(node: Function) -> bool:
    return any(ast.unparse(each).split(".")[-1] == "contextmanager" for each in node.decorator_list)


def _is_overload(node: Function) -> bool:
    return any(ast.unparse(each).split(".")[-1] == "overload" for each in node.decorator_list)


def _yields(node: Function) -> bool:
    return any(isinstance(each, (ast.Yield, ast.YieldFrom)) for each in _own_nodes(node))


def _raises(node: Function) -> list[str]:
    names = []
    for each in _own_nodes(node):
        if isinstance(each, ast.Raise) and each.exc is not None:
            raised = each.exc.func if isinstance(each.exc, ast.Call) else each.exc
            name = ast.unparse(raised)
            if name not in names:
                names.append(name)
    return names


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yields the nodes of a function's body without those of the functions within it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            continue
        yield child
        yield from _own_nodes(child)


def _parameters(node: Function, role: str) -> list[dict[str, Any]]:
    args = node.args
    positional = [*args.posonlyargs, *args.args]
    defaults: list[Optional[ast.expr]] = [None] * (len(positional) - len(args.defaults)) + list(args.defaults)
    comments = _comment_types(node, len(positional))
    rows = [
        _parameter(arg, "positional_only" if at < len(args.posonlyargs) else "positional", default, comments.get(at))
        for at, (arg, default) in enumerate(zip(positional, defaults))
    ]
    if args.vararg is not None:
        rows.append(_parameter(args.vararg, "var_positional", None, None))
    rows += [
        _parameter(arg, "keyword_only", default, None) for arg, default in zip(args.kwonlyargs, args.kw_defaults)
    ]
    if args.kwarg is not None:
        rows.append(_parameter(args.kwarg, "var_keyword", None, None))
    bound = role in ("method", "classmethod", "property", "setter", "deleter")
    return rows[1:] if bound and rows and rows[0]["kind"] in ("positional", "positional_only") else rows


def _parameter(arg: ast.arg, kind: str, default: Optional[ast.expr], comment: Optional[str]) -> dict[str, Any]:
    literal: dict[str, Any] = {}
    if default is not None:
        try:
            literal = {"default": _plain(ast.literal_eval(default))}
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            literal = {}
    return {
        "name": arg.arg,
        "kind": kind,
        "type": _annotation(arg.annotation) or arg.type_comment or comment,
        "default": literal.get("default"),
        "default_source": None if default is None else ast.unparse(default),
        "required": default is None and not kind.startswith("var_"),
    }


def _plain(value: Any) -> Any:
    """Returns a literal as JSON has it; None for one that JSON has no form for, whose source says it."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else None
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: _plain(each) for key, each in value.items()}
    return None


def _annotation(node: Optional[ast.expr]) -> Optional[str]:
    if node is None:
        return None
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return ast.unparse(node)


def _comment_types(node: Function, count: int) -> dict[int, str]:
    if node.type_comment is None:
        return {}
    try:
        signature = ast.parse(node.type_comment, mode="func_type")
    except SyntaxError:
        return {}
    types = [ast.unparse(each) for each in signature.argtypes]  # type: ignore[attr-defined]
    # The first parameter of a method may be left out.
    offset = count - len(types)
    if offset not in (0, 1) or types == ["..."]:
        return {}
    return {at + offset: text for at, text in enumerate(types)}


def _returns_of_comment(node: Function) -> Optional[str]:
    if node.type_comment is None:
        return None
    try:
        return ast.unparse(ast.parse(node.type_comment, mode="func_type").returns)  # type: ignore[attr-defined]
    except SyntaxError:
        return None
