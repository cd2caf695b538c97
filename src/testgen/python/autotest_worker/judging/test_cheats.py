"""Finds ways by which a test passes without testing: swallowed failures, a replaced or copied function, its source."""

from __future__ import annotations

import ast
from typing import Any, Iterator, Optional

from ..functions import Function
from ..mutation.rewritten import normalized_body
from .target_references import TargetReferences, call_name

Finding = tuple[str, int, str]

_BROAD = {"Exception", "BaseException", "AssertionError"}
_SOURCE_NAMES = {
    "getsource", "getsourcelines", "getsourcefile", "findsource", "getcomments",
    "__code__", "co_code", "co_consts", "co_names", "co_varnames", "co_firstlineno", "f_code", "linecache", "dis",
}  # fmt: skip
#: Characters of a syntax tree: `return a + b` has about 100.
_SHORT_BODY = 200
_HARNESS_NAMES = {"gettrace", "settrace", "getppid", "_exit", "autotest_worker", "setprofile", "getprofile"}


def cheats_in_file(tree: ast.Module, references: TargetReferences, path: str, target: Optional[Function]) -> Iterator[Finding]:
    """Yields what concerns the whole file."""
    names = {each for each in references.owners if "." not in each}
    for node in ast.walk(tree):
        yield from _rebound(node, names, references)
        yield from _reads_source(node, path)
        if isinstance(node, ast.Assign) and any(isinstance(each, ast.Name) and each.id == "pytestmark" for each in node.targets):
            if any((call_name(each) or "").split(".")[-1] in ("skip", "skipif", "xfail") for each in ast.walk(node.value)):
                yield "skip", node.lineno, "all its tests are skipped or expected to fail (pytestmark)"
        if target is not None and isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if _is_copy(normalized_body(node), normalized_body(target)):
                yield "copy", node.lineno, f"{node.name} is a copy of {references.qualname}: it expects whatever that does"


def _is_copy(body: str, of: str) -> bool:
    # A short body is alike by chance.
    return body == of and len(body) > _SHORT_BODY


def cheats_in_test(node: Function, references: TargetReferences) -> Iterator[Finding]:
    for each in ast.walk(node):
        if isinstance(each, ast.Try):
            yield from _swallowed(each)
        elif isinstance(each, (ast.With, ast.AsyncWith)):
            for item in each.items:
                name = call_name(item.context_expr.func) if isinstance(item.context_expr, ast.Call) else None
                last = (name or "").split(".")[-1]
                if last == "suppress":
                    yield "swallowed", each.lineno, "what it suppresses may be the failure of the test"
                elif last in ("raises", "assertRaises") and any(isinstance(inner, ast.Assert) for inner in ast.walk(each)):
                    if _catches_assertions(item.context_expr):
                        yield "swallowed", each.lineno, "an assertion that fails is what it expects"
        yield from _patched(each, references)
    for decorator in node.decorator_list:
        yield from _patched(decorator, references)


def _catches_assertions(call: ast.expr) -> bool:
    arguments = call.args[:1] if isinstance(call, ast.Call) else []
    return any((call_name(each) or "").split(".")[-1] in _BROAD for arg in arguments for each in ast.walk(arg))


def _swallowed(node: ast.Try) -> Iterator[Finding]:
    for handler in node.handlers:
        caught = {(call_name(each) or "").split(".")[-1] for each in ast.walk(handler.type)} if handler.type else _BROAD
        has_assert = any(_can_fail(each) for statement in node.body for each in ast.walk(statement))
        goes_on = not any(_can_fail(each) for statement in handler.body for each in ast.walk(statement))
        if goes_on and (caught & _BROAD or not has_assert):
            yield "swallowed", handler.lineno, "an exception is caught and nothing comes of it"


def _can_fail(node: ast.AST) -> bool:
    if isinstance(node, (ast.Assert, ast.Raise)):
        return True
    last = (call_name(node.func) or "").split(".")[-1] if isinstance(node, ast.Call) else ""
    return last == "fail" or last.startswith("assert")


def _rebound(node: ast.AST, names: set[str], references: TargetReferences) -> Iterator[Finding]:
    bound: list[str] = []
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        bound = [node.name]
    elif isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
        bound = [node.id]
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, (ast.Store, ast.Del)):
        owner = call_name(node) or ""
        inner = call_name(node.value) or ""
        if owner in references.owners or inner in references.owners and node.attr == references.name and references.is_method:
            yield "patched", node.lineno, f"{references.qualname} is replaced"
        elif inner in references.owners and node.attr.startswith("__"):
            yield "patched", node.lineno, f"{references.qualname} is changed ({node.attr})"
        return
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and call_name(node.value) == "sys.modules":
        yield "patched", node.lineno, "a module is replaced in sys.modules"
    for name in bound:
        if name in names:
            yield "patched", getattr(node, "lineno", 0), f"the name {name} is bound to something else"


def _patched(node: ast.AST, references: TargetReferences) -> Iterator[Finding]:
    if not isinstance(node, ast.Call):
        return
    name = call_name(node.func) or ""
    last = name.split(".")[-1]
    if last not in ("patch", "object", "setattr", "delattr", "setitem", "multiple", "dict"):
        return
    texts = [each.value for each in node.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    given = {each.arg for each in node.keywords}
    full = f"{references.module}.{references.qualname}"
    owners = [call_name(each) or "" for each in node.args]
    if full in texts or references.module in texts and references.name in given:
        yield "patched", node.lineno, f"{references.qualname} is replaced ({name})"
    elif any(owner in references.modules | references.owners for owner in owners):
        if references.qualname.split(".")[0] in texts or references.name in texts or "__code__" in texts or references.name in given:
            yield "patched", node.lineno, f"{references.qualname} is replaced ({name})"


def _reads_source(node: ast.AST, path: str) -> Iterator[Finding]:
    word: Any = None
    if isinstance(node, ast.Attribute):
        word = node.attr
    elif isinstance(node, ast.alias):
        word = node.name.split(".")[-1]
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        word = node.value
        if path.rsplit("/", 1)[-1] == word.rsplit("/", 1)[-1]:
            yield "reads_source", node.lineno, f"it names the file of the function ({word})"
            return
    line = getattr(node, "lineno", 0)
    if word in _SOURCE_NAMES:
        yield "reads_source", line, f"it looks at the code of the function ({word})"
    elif word in _HARNESS_NAMES:
        yield "harness", line, f"it looks at how it is run ({word})"
