"""Turns tests of pytest into those of unittest: functions become methods, bare assertions those of a test case."""

from __future__ import annotations

import ast
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


def unittest_style(text: str, class_name: str) -> str:
    """Returns a test file with one test case of a name. Tests that need a fixture of pytest are left out."""
    tree = ast.parse(text)
    kept: list[ast.stmt] = []
    methods: list[ast.stmt] = []
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test"):
            method = _method(node)
            if method is not None:
                methods.append(method)
        elif isinstance(node, ast.Import) and any(each.name == "pytest" for each in node.names):
            continue
        else:
            kept.append(node)
    base = "IsolatedAsyncioTestCase" if any(isinstance(each, ast.AsyncFunctionDef) for each in methods) else "TestCase"
    if not methods:
        return ""
    case = ast.ClassDef(class_name, [ast.Attribute(ast.Name("unittest", ast.Load()), base, ast.Load())], [], methods, [])
    if hasattr(case, "type_params") or "type_params" in ast.ClassDef._fields:
        case.type_params = []  # type: ignore[attr-defined]
    imports = [each for each in kept if isinstance(each, (ast.Import, ast.ImportFrom))]
    others = [each for each in kept if each not in imports]
    parts = ["import unittest\n"] + ([_text(imports)] if imports else [])
    body = "\n\n\n".join([*(_text([each]) for each in others), _spaced(case)])
    return "\n".join(parts) + "\n\n\n" + body + "\n"


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


def _text(nodes: list[ast.stmt]) -> str:
    return ast.unparse(ast.fix_missing_locations(ast.Module(nodes, [])))


def _spaced(case: ast.ClassDef) -> str:
    """Returns a class with a line between its methods."""
    head = f"class {case.name}({ast.unparse(case.bases[0])}):"
    methods = [_text([each]) for each in case.body]
    return head + "\n" + "\n\n".join("\n".join(f"    {line}" if line else "" for line in each.splitlines()) for each in methods)
