"""Finds the assertions of a test that depend on a call of the function, and those that hold whatever it does."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Optional, Union

from ..functions import Function
from .target_references import TargetReferences, call_name

_TEST_CASE = ("assert", "fail")
_RAISES = ("raises", "assertRaises", "assertRaisesRegex", "warns", "assertWarns", "assertLogs")
_CAPTURES = {"capsys", "capfd", "caplog", "recwarn", "tmp_path"}


@dataclass
class Found:
    calls_target: bool = False
    sound: int = 0
    #: Lines of assertions that hold whatever the function does, and why.
    unsound: list[tuple[int, str]] = field(default_factory=list)


class Assertions(ast.NodeVisitor):
    """Follows, statement by statement, which variables depend on a call of the function."""

    def __init__(self, references: TargetReferences, helpers: dict[str, Function], depth: int = 0) -> None:
        self._references = references
        self._helpers = helpers
        self._depth = depth
        self._tainted: set[str] = set()
        self._found = Found()

    def read(self, node: Function, tainted: Optional[set[str]] = None) -> Found:
        self._tainted = set(tainted or ())
        for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            helper = self._helpers.get(each.arg)
            # A fixture of the file that works with the function.
            if helper is not None and self._uses_target(helper):
                self._tainted.add(each.arg)
                self._found.calls_target = True
        for statement in node.body:
            self.visit(statement)
        return self._found

    # What depends on the function

    def _uses_target(self, node: ast.AST) -> bool:
        references = self._references
        return any(
            references.is_use(each) or references.is_operator and references.is_object(each) for each in ast.walk(node)
        )

    def _depends(self, node: Optional[ast.AST]) -> bool:
        if node is None:
            return False
        for each in ast.walk(node):
            if self._references.is_use(each) or isinstance(each, ast.Name) and each.id in self._tainted:
                return True
            if self._references.is_operator and self._references.is_object(each):
                return True
            if isinstance(each, ast.Call) and self._helper_depends(each):
                return True
        return False

    def _helper_depends(self, node: ast.Call) -> bool:
        helper = self._helpers.get(call_name(node.func) or "")
        return helper is not None and self._depth < 3 and self._uses_target(helper)

    def _note_use(self, node: ast.AST) -> None:
        """What is given to the function may be changed by it, and so may its object."""
        for each in ast.walk(node):
            if isinstance(each, ast.Call) and self._helper_depends(each):
                self._found.calls_target = True
            if self._references.is_operator and self._references.is_object(each):
                self._found.calls_target = True
            if not self._references.is_use(each):
                continue
            self._found.calls_target = True
            self._tainted |= _CAPTURES
            inner = [each] if not isinstance(each, ast.Call) else [each.func, *each.args, *(k.value for k in each.keywords)]
            for part in inner:
                for name in ast.walk(part):
                    if isinstance(name, ast.Name) and name.id not in self._references.owners | self._references.modules:
                        self._tainted.add(name.id)

    # Statements

    def visit_Assign(self, node: ast.Assign) -> None:
        self._bind(node.targets, node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._bind([node.target], node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._note_use(node.value)
        if self._depends(node.value):
            self._taint(node.target)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self._bind([node.target], node.value)

    def _bind(self, targets: list[ast.expr], value: Optional[ast.expr]) -> None:
        if value is None:
            return
        depends = self._depends(value)
        self._note_use(value)
        for target in targets:
            if depends:
                self._taint(target)
            elif isinstance(target, ast.Name):
                self._tainted.discard(target.id)

    def _taint(self, target: ast.AST) -> None:
        for each in ast.walk(target):
            if isinstance(each, ast.Name):
                self._tainted.add(each.id)

    def _visit_for(self, node: Union[ast.For, ast.AsyncFor]) -> None:
        self._note_use(node.iter)
        if self._depends(node.iter):
            self._taint(node.target)
        for each in (*node.body, *node.orelse):
            self.visit(each)

    visit_For = _visit_for
    visit_AsyncFor = _visit_for

    def _visit_function(self, node: Function) -> None:
        """A function within a test: what it does counts where it is called."""
        self._helpers = {**self._helpers, node.name: node}
        if self._uses_target(node):
            self._tainted.add(node.name)

    visit_FunctionDef = _visit_function
    visit_AsyncFunctionDef = _visit_function

    def _visit_with(self, node: Union[ast.With, ast.AsyncWith]) -> None:
        uses = False
        raises = False
        for item in node.items:
            self._note_use(item.context_expr)
            name = call_name(item.context_expr.func) if isinstance(item.context_expr, ast.Call) else ""
            if name is not None and name.split(".")[-1] in _RAISES:
                raises = True
                if item.optional_vars is not None:
                    self._taint(item.optional_vars)
            elif item.optional_vars is not None and self._depends(item.context_expr):
                self._taint(item.optional_vars)
        for each in node.body:
            uses = uses or self._depends(each)
            self.visit(each)
        if raises and uses:
            self._found.sound += 1

    visit_With = _visit_with
    visit_AsyncWith = _visit_with

    def visit_Expr(self, node: ast.Expr) -> None:
        value = node.value.value if isinstance(node.value, ast.Await) else node.value
        if isinstance(value, ast.Call):
            self._visit_call(value)
        self._note_use(node.value)

    def _visit_call(self, node: ast.Call) -> None:
        name = call_name(node.func) or ""
        last = name.split(".")[-1]
        if isinstance(node.func, ast.Attribute) and last.startswith(_TEST_CASE) or last in ("raises", "assert_called_once_with"):
            self._test_case_assertion(node, last)
        helper = self._helpers.get(name)
        if helper is not None and self._depth < 3:
            inner = Assertions(self._references, self._helpers, self._depth + 1)
            given = set()
            arguments = [each.arg for each in helper.args.args]
            for at, each in enumerate(node.args):
                if at < len(arguments) and self._depends(each):
                    given.add(arguments[at])
            found = inner.read(helper, given)
            self._found.calls_target = self._found.calls_target or found.calls_target
            self._found.sound += found.sound

    def _test_case_assertion(self, node: ast.Call, last: str) -> None:
        if not any(self._depends(each) for each in (*node.args, node.func)):
            return
        if last in ("assertEqual", "assertIs", "assertAlmostEqual", "assertEquals") and len(node.args) > 1:
            if ast.dump(node.args[0]) == ast.dump(node.args[1]):
                self._found.unsound.append((node.lineno, "both sides are the same expression"))
                return
        self._found.sound += 1

    def visit_Assert(self, node: ast.Assert) -> None:
        depends = self._depends(node.test)
        self._note_use(node.test)
        if not depends:
            return
        why = always_true(node.test)
        if why is None:
            self._found.sound += 1
        else:
            self._found.unsound.append((node.lineno, why))


def always_true(node: ast.expr) -> Optional[str]:
    """Returns why a condition holds whatever is called in it; None if it may fail."""
    if isinstance(node, ast.Constant):
        return "it is constant" if node.value else None
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)) and node.elts or isinstance(node, ast.Dict) and node.keys:
        return "a collection with items is always true"
    if isinstance(node, (ast.Lambda, ast.JoinedStr)):
        return "it is always true"
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        return next((why for why in map(always_true, node.values) if why is not None), None)
    if isinstance(node, ast.BoolOp):
        reasons = [always_true(each) for each in node.values]
        return reasons[0] if all(each is not None for each in reasons) else None
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _trivial_comparison(node.left, node.ops[0], node.comparators[0])
    if isinstance(node, ast.Call) and call_name(node.func) == "isinstance" and len(node.args) == 2:
        return "everything is an object" if call_name(node.args[1]) == "object" else None
    return None


def _trivial_comparison(left: ast.expr, op: ast.cmpop, right: ast.expr) -> Optional[str]:
    if isinstance(op, (ast.Eq, ast.Is, ast.LtE, ast.GtE)) and ast.dump(left) == ast.dump(right):
        return "both sides are the same expression"
    if isinstance(right, (ast.Name, ast.Attribute)) and (call_name(right) or "").split(".")[-1] == "ANY":
        return "ANY is equal to everything"
    is_length = isinstance(left, ast.Call) and call_name(left.func) == "len"
    if is_length and isinstance(right, ast.Constant):
        if isinstance(op, ast.GtE) and right.value == 0 or isinstance(op, ast.Gt) and right.value == -1:
            return "a length is never negative"
    return None
