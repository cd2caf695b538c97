"""Lists the functions of a text fast, as an editor asks for them at every pause: statements are walked, expressions are not."""

from __future__ import annotations

import ast
import re
from typing import Any, Iterator, Union

_Function = (ast.FunctionDef, ast.AsyncFunctionDef)
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def functions_of_text(text: str) -> list[dict[str, Any]]:
    """Returns each function and method with signature, docstring, body and lines. Raises SyntaxError."""
    tree = ast.parse(text)
    lines = text.splitlines()
    return [_described(node, class_name, qualname, lines) for node, class_name, qualname in _functions(tree, None, "")]


def _functions(
    node: ast.AST, class_name: "str | None", prefix: str
) -> Iterator[tuple[Union[ast.FunctionDef, ast.AsyncFunctionDef], "str | None", str]]:
    for field in _BLOCKS:
        for child in getattr(node, field, ()):
            if isinstance(child, _Function):
                yield child, class_name, prefix + child.name
                yield from _functions(child, None, f"{prefix}{child.name}.<locals>.")
            elif isinstance(child, ast.ClassDef):
                yield from _functions(child, child.name, f"{prefix}{child.name}.")
            elif not isinstance(child, (ast.Expr, ast.Assign, ast.Return)):
                yield from _functions(child, class_name, prefix)


def _described(
    node: Union[ast.FunctionDef, ast.AsyncFunctionDef], class_name: "str | None", qualname: str, lines: list[str]
) -> dict[str, Any]:
    first = node.body[0]
    body = lines[min(first.lineno, _first_line(first)) - 1 : node.end_lineno]
    # What precedes the body is the signature, over several lines or on one with it.
    if first.lineno == node.lineno:
        line = lines[node.lineno - 1]
        head, body = line[: first.col_offset], [line[first.col_offset :]]
    else:
        head = " ".join(_without_comment(each).strip() for each in lines[node.lineno - 1 : _first_line(first) - 1])
    docstring = None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        docstring = first.value.value
    return {
        "name": node.name,
        "qualname": qualname,
        "signature": head.strip().rstrip(":").rstrip(),
        "docstring": docstring,
        "body": "\n".join(body),
        "decorators": [_segment(each, lines) for each in node.decorator_list],
        "is_async": isinstance(node, ast.AsyncFunctionDef),
        "is_method": class_name is not None,
        "class_name": class_name,
        "line_number": node.lineno,
        "end_line_number": node.end_lineno,
    }


def _first_line(node: ast.stmt) -> int:
    return min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])


def _segment(node: ast.expr, lines: list[str]) -> str:
    end = node.end_lineno or node.lineno
    found = lines[node.lineno - 1 : end]
    if end == node.lineno:
        return found[0].encode()[node.col_offset : node.end_col_offset].decode()
    return ast.unparse(node)


def _without_comment(line: str) -> str:
    return re.sub(r"(^|\s)#[^'\"]*$", "", line)
