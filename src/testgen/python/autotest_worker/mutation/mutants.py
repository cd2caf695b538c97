"""Makes mutants of one function: small changes of its syntax tree that a test should notice."""

from __future__ import annotations

import ast
import copy
import dis
import types
from dataclasses import dataclass
from typing import Any, Iterator, Optional

from ..functions import Function, find_node
from .mutation_operators import changes_of


@dataclass(frozen=True)
class Mutant:
    """A changed function."""

    number: int
    operator: str
    line: int
    before: str
    after: str
    #: None where the function is left as it is.
    function_code: Optional[types.CodeType]
    #: Where its defaults are changed: the whole module with the change, in which they are found by running it anew.
    module_code: Optional[types.CodeType]


def make_mutants(source: str, filename: str, qualname: str, limit: int = 400) -> list[Mutant]:
    """Returns the mutants of a function without equivalents and doubles, which compile to the same code object.

    Raises LookupError if there is no such function, SyntaxError if the file is none of Python.
    """
    tree = ast.parse(source, filename)
    target = find_node(tree, qualname)
    if target is None:
        raise LookupError(qualname)
    # All that decides the function's code: compiling the rest for each mutant takes most of the time in a long file.
    reduced = ast.Module(_reduced(tree.body, target), [])
    original = find_code(compile(reduced, filename, "exec", dont_inherit=True), qualname)
    seen = {fingerprint(original, _defaults_text(target))}
    found: list[Mutant] = []
    lines = source.splitlines()
    for operator, line, changed, replaced in _changed_trees(reduced, target):
        try:
            code = compile(ast.fix_missing_locations(changed), filename, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError):
            continue
        function_code = find_code(code, qualname)
        changed_target = find_node(changed, qualname)
        if function_code is None or changed_target is None:
            continue
        defaults = _defaults_text(changed_target)
        mark = fingerprint(function_code, defaults)
        if mark in seen:
            continue
        seen.add(mark)
        before, after = replaced
        text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
        found.append(
            Mutant(
                number=len(found),
                operator=operator,
                line=line,
                before=text if before is None else before,
                after=after,
                function_code=function_code,
                module_code=_whole(tree, target, changed_target, filename) if defaults != _defaults_text(target) else None,
            )
        )
        if len(found) >= limit:
            break
    return found


def _reduced(body: list[ast.stmt], target: Function) -> list[ast.stmt]:
    """Returns the statements around a function without those beside it, but for imports from the future."""
    kept: list[ast.stmt] = [each for each in body if isinstance(each, ast.ImportFrom) and each.module == "__future__"]
    for each in body:
        if any(inner is target for inner in ast.walk(each)):
            if isinstance(each, ast.ClassDef):
                each = copy.copy(each)
                each.body = _reduced(each.body, target)
            kept.append(each)
    return kept


def _whole(tree: ast.Module, target: Function, changed: Function, filename: str) -> types.CodeType:
    """Returns the code of the whole module with a changed function."""
    places = _places(tree)
    inner: ast.AST = target
    made: Any = changed
    while id(inner) in places:
        parent, field, at = places[id(inner)]
        made = _with_child(parent, field, at, made)
        inner = parent
    return compile(made, filename, "exec", dont_inherit=True)


def find_code(code: types.CodeType, qualname: str) -> Optional[types.CodeType]:
    """Returns the code object of a function in a module's code, by its qualified name without `<locals>`."""
    parts = [part for part in qualname.split(".") if part != "<locals>"]
    for part in parts:
        inner = [const for const in code.co_consts if isinstance(const, types.CodeType) and const.co_name == part]
        # On 3.12 and newer, generic functions and classes are within a scope of their type parameters.
        inner += [
            const
            for scope in code.co_consts
            if isinstance(scope, types.CodeType) and scope.co_name == f"<generic parameters of {part}>"
            for const in scope.co_consts
            if isinstance(const, types.CodeType) and const.co_name == part
        ]
        if not inner:
            return None
        code = inner[-1]
    return code


def lines_with_code(code: types.CodeType) -> list[int]:
    """Returns the lines that some instruction of a code object, or of one within it, belongs to."""
    lines: set[int] = set()
    waiting = [code]
    while waiting:
        each = waiting.pop()
        if hasattr(each, "co_lines"):
            lines |= {line for _, _, line in each.co_lines() if line}
        else:
            lines |= {line for _, line in dis.findlinestarts(each)}
        waiting += [const for const in each.co_consts if isinstance(const, types.CodeType)]
    return sorted(lines)


def fingerprint(code: Optional[types.CodeType], defaults: str) -> tuple[Any, ...]:
    if code is None:
        return (None, defaults)
    constants = tuple(
        fingerprint(const, "") if isinstance(const, types.CodeType) else (type(const).__name__, repr(const))
        for const in code.co_consts
    )
    table = getattr(code, "co_exceptiontable", b"")
    return (code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars, table, defaults)


def _defaults_text(node: Function) -> str:
    args = node.args
    return repr([ast.dump(each) for each in (*args.defaults, *(each for each in args.kw_defaults if each))])


def _changed_trees(
    tree: ast.Module, target: Function
) -> Iterator[tuple[str, int, ast.Module, tuple[Optional[str], str]]]:
    """Yields the operator, the line, the whole changed tree, and the changed line before and after.

    The trees share all nodes but the changed one and those around it.
    """
    places = _places(tree)
    for operator, node, replacement in changes_of(target):
        statement = node if isinstance(node, ast.stmt) else None
        made: Optional[ast.AST] = replacement(copy.deepcopy(node))
        is_removed = made is None
        changed: Any = made
        changed_statement = made if statement is not None else None
        inner: ast.AST = node
        while id(inner) in places:
            parent, field, at = places[id(inner)]
            changed = _with_child(parent, field, at, changed)
            inner = parent
            if statement is None and isinstance(parent, ast.stmt):
                statement, changed_statement = parent, changed
        line = getattr(statement, "lineno", target.lineno)
        shown = (_first_line(statement), "pass" if is_removed or changed_statement is None else _first_line(changed_statement))
        if shown[0] == shown[1] and statement is not None and changed_statement is not None:
            # The change is further down: in a case, in a handler, behind an `else`.
            shown = _first_difference(statement, changed_statement)
            line = getattr(node, "lineno", None) or _first_line_within(node) or line
        yield operator, line, changed, shown


#: The parent of a node, the field that holds it, and its place where the field is a list.
_Place = tuple[ast.AST, str, Optional[int]]


def _places(tree: ast.AST) -> dict[int, _Place]:
    places: dict[int, _Place] = {}
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            if isinstance(value, ast.AST):
                places[id(value)] = (parent, field, None)
            elif isinstance(value, list):
                places.update({id(each): (parent, field, at) for at, each in enumerate(value) if isinstance(each, ast.AST)})
    return places


def _with_child(parent: ast.AST, field: str, at: Optional[int], child: Optional[ast.AST]) -> ast.AST:
    """Returns a copy of a node with another child, or without it."""
    changed = copy.copy(parent)
    if at is None:
        setattr(changed, field, child)
        return changed
    children = list(getattr(parent, field))
    children[at : at + 1] = [] if child is None else [child]
    if not children and field == "body":
        children.append(ast.Pass())
    setattr(changed, field, children)
    return changed


def _first_difference(before: ast.AST, after: ast.AST) -> tuple[str, str]:
    """Returns the first lines in which two statements differ; a line that is gone is `pass` if another stands in its place."""
    lines, changed = ast.unparse(before).splitlines(), ast.unparse(after).splitlines()
    for at, line in enumerate(lines):
        other = changed[at] if at < len(changed) else ""
        if line != other:
            is_gone = len(changed) < len(lines)
            return line.strip(), "(removed)" if is_gone and changed[at:] == lines[at + len(lines) - len(changed) :] else other.strip()
    return lines[0], changed[0]


def _first_line_within(node: ast.AST) -> Optional[int]:
    return min((each.lineno for each in ast.walk(node) if hasattr(each, "lineno")), default=None)


def _first_line(node: Optional[ast.AST]) -> str:
    if node is None:
        return ""
    text = ast.unparse(node)
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        lines = [line for line in text.splitlines() if not line.startswith("@")]
        return lines[0] if lines else text
    return text.splitlines()[0] if text else ""
