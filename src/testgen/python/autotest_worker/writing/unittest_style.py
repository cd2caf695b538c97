"""Turns tests of pytest into those of unittest: functions become methods, bare assertions those of a test case."""

from __future__ import annotations

import ast
import re
from typing import Optional, Union

_COMPARISONS = {
    ast.Eq: "assertEqual",
    ast.NotEq: "assertNotEqual",
    ast.Is: "assertIs",
    ast.IsNot: "assertIsNot",
    ast.In: "assertIn",
    ast.NotIn: "assertNotIn",
    ast.Lt: "assertLess",
    ast.LtE: "assertLessEqual",
    ast.Gt: "assertGreater",
    ast.GtE: "assertGreaterEqual",
}


def unittest_style(text: str, names: list[str], class_name: str) -> str:
    """Returns a file with some of its tests as methods of a test case; everything else stays as it is written.

    Tests that need a fixture or mark of pytest are left out; an empty text if no test is left.
    """
    tree = ast.parse(text)
    moved = [each for each in tree.body if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)) and each.name in names]
    methods = [method for method in (_method(each) for each in moved) if method is not None]
    if not methods:
        return ""
    lines: list[Optional[str]] = list(text.splitlines())
    for node in moved:
        first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        lines[first - 1 : node.end_lineno] = [None] * ((node.end_lineno or first) - first + 1)
    rest = "\n".join(line for line in lines if line is not None)
    if not re.search(r"\bpytest\.", rest):
        rest = re.sub(r"^import pytest\n+", "", rest, flags=re.M)
    if not re.search(r"^import unittest$", rest, re.M):
        rest = _with_import(rest)
    base = "IsolatedAsyncioTestCase" if any(isinstance(each, ast.AsyncFunctionDef) for each in methods) else "TestCase"
    return rest.rstrip("\n") + f"\n\n\nclass {class_name}(unittest.{base}):\n" + "\n\n".join(_indented(each) for each in methods) + "\n"


def _with_import(text: str) -> str:
    """Puts the import in front of the others, behind a docstring and imports from the future."""
    tree = ast.parse(text)
    last = 0
    for each in tree.body:
        is_docstring = isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
        if is_docstring or (isinstance(each, ast.ImportFrom) and each.module == "__future__"):
            last = each.end_lineno or last
        else:
            break
    lines = text.split("\n")
    head = [*lines[:last], ""] if last else []
    return "\n".join([*head, "import unittest", "", *lines[last:]]).replace("\n\n\n\n", "\n\n\n")


def _method(node: Union[ast.FunctionDef, ast.AsyncFunctionDef]) -> Optional[ast.stmt]:
    """Returns a test as a method; None where it takes fixtures or marks that unittest does not have."""
    if node.args.args or node.decorator_list:
        return None
    made = _Assertions().visit(node)
    made.args.args = [ast.arg("self")]
    if any(isinstance(each, ast.Name) and each.id == "pytest" for each in ast.walk(made)):
        return None
    return made


class _Assertions(ast.NodeTransformer):
    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        test = node.test
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return _call("assertFalse", [test.operand])
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            return _comparison(test)
        if isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id == "isinstance" and len(test.args) == 2:
            return _call("assertIsInstance", test.args)
        return _call("assertTrue", [test])

    def visit_With(self, node: ast.With) -> ast.stmt:
        self.generic_visit(node)
        for item in node.items:
            call = item.context_expr
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "pytest.raises":
                match = next((each.value for each in call.keywords if each.arg == "match"), None)
                name = "assertRaises" if match is None else "assertRaisesRegex"
                item.context_expr = _method_call(name, [*call.args, *([] if match is None else [match])])
        return node


def _comparison(test: ast.Compare) -> ast.stmt:
    left, operation, right = test.left, test.ops[0], test.comparators[0]
    if isinstance(operation, ast.Eq) and isinstance(right, ast.Call) and ast.unparse(right.func) == "pytest.approx":
        return _call("assertAlmostEqual", [left, right.args[0]])
    if isinstance(operation, (ast.Is, ast.IsNot)) and isinstance(right, ast.Constant):
        negated = isinstance(operation, ast.IsNot)
        if right.value is None:
            return _call("assertIsNotNone" if negated else "assertIsNone", [left])
    return _call(_COMPARISONS[type(operation)], [left, right])


def _call(name: str, arguments: list[ast.expr]) -> ast.stmt:
    return ast.Expr(_method_call(name, arguments))


def _method_call(name: str, arguments: list[ast.expr]) -> ast.Call:
    return ast.Call(ast.Attribute(ast.Name("self", ast.Load()), name, ast.Load()), arguments, [])


def _indented(method: ast.stmt) -> str:
    text = ast.unparse(ast.fix_missing_locations(ast.Module([method], [])))
    return "\n".join(f"    {line}" if line else "" for line in text.splitlines())
