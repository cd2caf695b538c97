"""Answers requests of the harness, a line of JSON each, within the sandbox and the project's folder."""

from __future__ import annotations

import ast
import importlib
import os
from typing import Any, Callable

from . import channel, children, functions, project_context, separation, test_runs
from .diagnosis.diagnose import diagnose
from .file_functions import functions_of_text
from .forged import Forged
from .judging import oracle_agreement, test_structure
from .mutation import mutant_runs, rewritten
from .mutation.mutants import make_mutants
from .pytest_plugins import needs_plugins
from .search.docstring_examples import DocstringExamples
from .search.target import Target
from .search.search import Search
from .test_coverage import run_with_coverage
from .tested_functions import function_contents, tested_functions
from .writing.collected_names import collected_patterns
from .writing.example_tests import tests_of_examples
from .writing.project_style import project_style
from .writing.unittest_style import unittest_style
from .writing.write_tests import write_tests as test_file_of


def describe(path: str) -> list[dict[str, Any]]:
    return functions.implementations(functions.read_source(path), path)


def check(text: str) -> dict[str, Any]:
    try:
        compile(text, "<test>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        return {"valid": False, "line": getattr(error, "lineno", None), "message": getattr(error, "msg", str(error))}
    return {"valid": True}


def normalized(text: str) -> dict[str, str]:
    """Returns a module as Python writes its syntax tree, without texts that stand alone."""
    tree = ast.parse(text)
    tree.body = [each for each in tree.body if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))]
    return {"text": ast.unparse(tree) + "\n"}


def check_tests(text: str, before: str, path: str, qualname: str) -> dict[str, Any]:
    description = _described(path, qualname)
    module = test_runs.module_name(path)
    return test_structure.check_tests(text, before, functions.read_source(path), module, path, description)


def agreements(text: str, tests: list[str], path: str, qualname: str, spec: str) -> dict[str, Any]:
    """Returns the first test that asserts what the docstring or the specification says, and what that is."""
    description = _described(path, qualname)
    known = test_structure.tests_in(ast.parse(text))
    for name in tests:
        if name in known:
            said = oracle_agreement.agreements(known[name], description["name"], [description["docstring"] or "", spec])
            if said is not None:
                return {"test": name, "said": said}
    return {"test": None, "said": None}


def import_module(path: str, seconds: float = 20.0) -> dict[str, Any]:
    """Imports a module of the project; returns why it cannot be, or None."""

    def run() -> Any:
        test_runs.add_source_folders()
        try:
            importlib.import_module(test_runs.module_name(path))
        except BaseException as error:  # noqa: BLE001 - whatever a module does
            return f"{type(error).__name__}: {error}"[:500]
        return None

    try:
        return {"problem": children.run_in_child(run, seconds)}
    except children.ChildFailed as error:
        return {"problem": f"its import did not end ({error.detail})" if error.kind == "timeout" else error.detail}


def failing_doctests(path: str, qualname: str, seconds: float = 10.0) -> list[str]:
    """Returns the examples in a function's docstring that do not hold."""
    description = _described(path, qualname)

    def read() -> list[str]:
        test_runs.add_source_folders()
        target = Target.described(test_runs.module_name(path), description)
        return DocstringExamples(target, description, os.path.realpath(path)).read()[1]

    return children.run_in_child(read, seconds)


def rewrite(path: str, qualname: str) -> dict[str, Any]:
    """Returns the module with the function written in another way."""
    return {"text": rewritten.rewritten(functions.read_source(path), path, qualname)}


def run_tests(
    paths: list[str],
    order: "int | None" = None,
    seconds: float = 30.0,
    hash_seed: "int | None" = None,
    differences: "list[str] | None" = None,
    elsewhere: bool = False,
) -> dict[str, Any]:
    if hash_seed is None:
        return test_runs.run_pytest(paths, order, seconds, differences or (), elsewhere)
    return test_runs.run_pytest_anew(paths, order, seconds, hash_seed)


def score_mutants(
    path: str, qualname: str, tests: list[str], seconds: float = 60.0, limit: int = 400, all_killers: bool = False
) -> dict[str, Any]:
    return mutant_runs.score_mutants(path, qualname, tests, seconds, limit, all_killers)


def list_mutants(path: str, qualname: str) -> list[dict[str, Any]]:
    """Returns the mutants of a function that no test runs."""
    rows = []
    for each in make_mutants(functions.read_source(path), path, qualname):
        row = {"number": each.number, "operator": each.operator, "line": each.line, "before": each.before, "after": each.after}
        rows.append({**row, "outcome": "survived", "by": None})
    return rows


def as_unittest(text: str, names: list[str], class_name: str) -> dict[str, Any]:
    return {"text": unittest_style(text, names, class_name)}


def _described(path: str, qualname: str) -> dict[str, Any]:
    for each in describe(path):
        if each["qualname"] == qualname:
            return each
    raise LookupError(f"{path} has no function {qualname}")


def _told(description: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
    """Returns a description in which a tool's words stand for the truth; what it leaves out is guessed from the rest."""
    guessed = {"type": None, "default": None, "default_source": None, "kind": "positional"}
    result = {**description, **told}
    result["parameters"] = [
        {"required": each.get("default") is None, **guessed, **each} for each in result["parameters"] if each.get("name")
    ]
    return result


def write_tests(
    path: str,
    qualname: str,
    existing: str,
    seconds: float,
    seed: int,
    covered: "list[int] | None" = None,
    told: "dict[str, Any] | None" = None,
    test_path: "str | None" = None,
    is_own_file: bool = False,
) -> dict[str, Any]:
    """Searches inputs for a function and writes its tests.

    `test_path` is that of the file, whose project's style is followed; `is_own_file` that nobody else has written in it; `covered` are the numbers of mutants that existing tests kill; `told` is what a tool said of the function instead.
    """
    description = _told(_described(path, qualname), told or {})

    def write() -> dict[str, Any]:
        test_runs.add_source_folders()
        module = test_runs.module_name(path)
        search = Search(path, module, description, seconds, seed, frozenset(covered or ()))
        style = project_style(test_path, existing)
        style.collected = collected_patterns()
        style.clock = search.clock or ""
        found = search.run(style.fixtures)
        text, names = test_file_of(found.kept, description, module, existing, style, found.properties, is_own_file)
        return {
            "text": text,
            "names": names,
            "mutants": found.mutants,
            "killed": sorted(found.killed),
            "failing_doctests": found.failing_doctests,
            "suspects": found.suspects,
            "hints": found.hints,
            "uses_hashes": search.uses_hashes,
            "problem": found.problem,
            "seconds": found.seconds,
        }

    # The search counts calls; this ends what only waits.
    return children.run_in_child(write, seconds * 10 + 60)


def read_text(path: str) -> dict[str, Any]:
    """Reads within the sandbox: a link that the project's code made leads no further than that."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return {"text": file.read()}
    except (FileNotFoundError, NotADirectoryError):
        return {"text": None}


def write_text(path: str, text: "str | None") -> None:
    """Writes within the sandbox; without a text the file is removed."""
    if text is None:
        if os.path.lexists(path):
            os.unlink(path)
        return
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)


_METHODS: dict[str, Callable[..., Any]] = {
    "analyze_imports": project_context.analyze_imports,
    "diagnose": diagnose,
    "example_tests": tests_of_examples,
    "function_contents": function_contents,
    "gather_context": project_context.project_context,
    "parse_text": functions_of_text,
    "tested_functions": tested_functions,
    **{
        each.__name__: each
        for each in (
            describe,
            check,
            normalized,
            check_tests,
            agreements,
            import_module,
            failing_doctests,
            rewrite,
            run_tests,
            run_with_coverage,
            score_mutants,
            list_mutants,
            as_unittest,
            write_tests,
            read_text,
            write_text,
        )
    },
}


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"id": request["id"], "result": _METHODS[request["method"]](**request["params"])}
    except Forged as error:
        return {"id": request["id"], "error": {"kind": "forged", "message": str(error)}}
    except children.ChildFailed as error:
        return {"id": request["id"], "error": {"kind": error.kind, "message": error.detail}}
    except SyntaxError as error:
        place = f"{error.filename}:{error.lineno}" if error.lineno else str(error.filename)
        return {"id": request["id"], "error": {"kind": "syntax", "message": f"{place}: {error.msg}"}}
    except Exception as error:  # noqa: BLE001 - answered, so that the harness can say it
        return {"id": request["id"], "error": {"kind": type(error).__name__, "message": str(error)}}


def main() -> None:
    separation.become_judge()
    if needs_plugins():
        os.environ.pop("PYTEST_DISABLE_PLUGIN_AUTOLOAD", None)
    harness = channel.Channel()
    for request in harness.requests():
        harness.answer(_answer(request))
