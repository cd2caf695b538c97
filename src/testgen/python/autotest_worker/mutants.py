"""Makes mutants of one function: small changes of its syntax tree that a test should notice."""

from __future__ import annotations

import ast
import copy
import types
from dataclasses import dataclass
from typing import Any, Iterator, Optional

from .functions import Function, find_node
from .mutation_operators import changes_of


@dataclass(frozen=True)
class Mutant:
    """A changed function."""

    number: int
    operator: str
    line: int
    before: str
    after: str
    #: The whole module with the change, compiled; the function is found in it by its qualified name.
    module_code: types.CodeType
    function_code: types.CodeType
    defaults_changed: bool


def make_mutants(source: str, filename: str, qualname: str, limit: int = 400) -> list[Mutant]:
    """Returns the mutants of a function without equivalents and doubles, which compile to the same code object.

    Raises LookupError if there is no such function, SyntaxError if the file is none of Python.
    """
    tree = ast.parse(source, filename)
    target = find_node(tree, qualname)
    if target is None:
        raise LookupError(qualname)
    module = compile(source, filename, "exec", dont_inherit=True)
    original = find_code(module, qualname)
    seen = {_fingerprint(original, _defaults_text(target))}
    found: list[Mutant] = []
    lines = source.splitlines()
    for operator, line, changed, replaced in _changed_trees(tree, target):
        try:
            code = compile(ast.fix_missing_locations(changed), filename, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError):
            continue
        function_code = find_code(code, qualname)
        changed_target = find_node(changed, qualname)
        if function_code is None or changed_target is None:
            continue
        defaults = _defaults_text(changed_target)
        mark = _fingerprint(function_code, defaults)
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
                module_code=code,
                function_code=function_code,
                defaults_changed=defaults != _defaults_text(target),
            )
        )
        if len(found) >= limit:
            break
    return found


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


def _fingerprint(code: Optional[types.CodeType], defaults: str) -> tuple[Any, ...]:
    if code is None:
        return (None, defaults)
    constants = tuple(
        _fingerprint(const, "") if isinstance(const, types.CodeType) else (type(const).__name__, repr(const))
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
    """Yields the operator, the line, the whole changed tree, and the changed line before and after."""
    nodes = list(ast.walk(tree))
    position = {id(node): at for at, node in enumerate(nodes)}
    for operator, node, replacement in changes_of(target):
        statement = _statement_of(target, node)
        changed = copy.deepcopy(tree)
        twin = list(ast.walk(changed))[position[id(node)]]
        made = replacement(twin)
        _replace(changed, twin, made)
        line = getattr(statement, "lineno", target.lineno)
        after_node = _statement_at(changed, statement) if made is not None else None
        before = _first_line(statement)
        after = _first_line(after_node) if after_node is not None else "pass"
        yield operator, line, changed, (before, after)


def _statement_at(changed: ast.AST, statement: ast.AST) -> Optional[ast.AST]:
    line, column = getattr(statement, "lineno", None), getattr(statement, "col_offset", None)
    for node in ast.walk(changed):
        if isinstance(node, ast.stmt) and node.lineno == line and node.col_offset == column:
            return node
    return None


def _first_line(node: Optional[ast.AST]) -> str:
    if node is None:
        return ""
    text = ast.unparse(node)
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        lines = [line for line in text.splitlines() if not line.startswith("@")]
        return lines[0] if lines else text
    return text.splitlines()[0] if text else ""


def _statement_of(target: Function, node: ast.AST) -> ast.AST:
    """Returns the innermost statement that holds a node."""
    best: ast.AST = target
    for each in ast.walk(target):
        if isinstance(each, ast.stmt) and any(inner is node for inner in ast.walk(each)):
            best = each
    return best


def _replace(tree: ast.AST, old: ast.AST, new: Optional[ast.AST]) -> None:
    if new is old:
        return
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            if value is old:
                setattr(parent, field, new)
                return
            if isinstance(value, list):
                for at, each in enumerate(value):
                    if each is old:
                        value[at : at + 1] = [] if new is None else [new]
                        if not value and field in ("body",):
                            value.append(ast.Pass())
                        return
