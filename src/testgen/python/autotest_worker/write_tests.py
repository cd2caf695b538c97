"""Writes the inputs of a search as a test file, or adds them to one that is there."""

from __future__ import annotations

import ast
import keyword
import re
import textwrap
from typing import Any, Optional

from .inputs import Found
from .observe import Input, Outcome
from .render import NotRenderable, render

Import = tuple[str, Optional[str]]
_WIDTH = 100
NOTE = "Characterization tests: they hold what the function does today, found by calling it."


def write_tests(
    found: list[Found], description: dict[str, Any], module: str, existing: str
) -> tuple[str, list[str]]:
    """Returns the text of the test file and the names of its new tests; existing tests stay as they are."""
    taken = _names_in(existing)
    imports: set[Import] = {(module, _imported(description))}
    blocks: list[str] = []
    names: list[str] = []
    for each in found:
        try:
            name = _free_name(_test_name(description, each), taken)
            block, needed = _test(name, each, description)
        except NotRenderable:
            continue
        taken.add(name)
        names.append(name)
        blocks.append(block)
        imports |= needed
    if not blocks:
        return existing, []
    if existing.strip() == "":
        head = f'"""Tests of {module}.{description["qualname"]}.\n\n' + "\n".join(textwrap.wrap(NOTE, 96)) + '\n"""\n\n'
        return head + _import_lines(imports) + "\n\n" + "\n\n\n".join(blocks) + "\n", names
    return _added(existing, imports, blocks), names


def _imported(description: dict[str, Any]) -> str:
    return str(description["qualname"]).split(".")[0]


def _import_lines(imports: set[Import]) -> str:
    standard = {"collections", "datetime", "decimal", "fractions", "math", "pathlib", "asyncio"}
    modules: dict[str, set[str]] = {}
    whole: set[str] = set()
    for module, name in imports:
        if name is None:
            whole.add(module)
        else:
            modules.setdefault(module, set()).add(name)
    lines = {}
    for module in whole:
        lines[module] = f"import {module}"
    for module, names in modules.items():
        lines[module + " "] = f"from {module} import {', '.join(sorted(names))}"
    groups: tuple[list[str], list[str], list[str]] = ([], [], [])
    for key in sorted(lines):
        module = key.strip()
        groups[0 if module in standard else 1 if module == "pytest" else 2].append(lines[key])
    return "\n\n".join("\n".join(group) for group in groups if group) + "\n"


def _added(existing: str, imports: set[Import], blocks: list[str]) -> str:
    """Adds tests at the end of a file, and the imports that it lacks after its last one."""
    tree = ast.parse(existing)
    known: set[Import] = set()
    last = 0
    for node in tree.body:
        if isinstance(node, ast.Import):
            known |= {(each.name, None) for each in node.names if each.asname is None}
            last = node.end_lineno or node.lineno
        elif isinstance(node, ast.ImportFrom):
            known |= {(node.module or "", each.name) for each in node.names if each.asname is None and node.level == 0}
            last = node.end_lineno or node.lineno
        elif last == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node is tree.body[0]:
            last = node.end_lineno or node.lineno
    missing = imports - known
    lines = existing.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    if missing:
        lines[last:last] = [_import_lines(missing)]
    return "".join(lines).rstrip("\n") + "\n\n\n" + "\n\n\n".join(blocks) + "\n"


def _names_in(existing: str) -> set[str]:
    if existing.strip() == "":
        return set()
    return {
        node.name for node in ast.walk(ast.parse(existing)) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    }


def _free_name(name: str, taken: set[str]) -> str:
    if name not in taken:
        return name
    number = 2
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"


def _words(text: str) -> str:
    text = re.sub(r"^(-?\d+)\.0$", r"\1", text)
    text = text.replace("-", " minus ").replace(".", " point ") if re.fullmatch(r"-?\d+(\.\d+)?", text) else text
    return "_".join(re.findall(r"[a-z0-9]+", text.lower()))[:24].strip("_")


def _describe(value: Any) -> str:
    """Returns a few words for a value: `empty_list`, `3_items`, `minus_2`."""
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, (int, float)):
        return _words(str(value)) or "number"
    if isinstance(value, str):
        if value == "":
            return "empty_text"
        return _words(value) or "symbols"
    if isinstance(value, (list, tuple, set, frozenset, dict)):
        name = {"frozenset": "set"}.get(type(value).__name__, type(value).__name__)
        if len(value) == 0:
            return f"empty_{name}"
        return f"{name}_of_{len(value)}"
    cls = getattr(value, "cls", type(value))
    return _words(cls.__name__) or "object"


def _test_name(description: dict[str, Any], found: Found) -> str:
    function = str(description["qualname"]).replace("<locals>.", "").replace(".", "_").lower().strip("_")
    parts = [_describe(each) for each in found.given.args[:3]]
    parts += [f"{name}_{_describe(each)}" for name, each in list(found.given.kwargs.items())[:2]]
    scenario = "_and_".join(part for part in parts if part) or (
        "object" if found.given.receiver is not None else "no_arguments"
    )
    return re.sub(r"_+", "_", f"test_{function}_{scenario[:50].strip('_')}_{_outcome_words(found.outcome)}")


def _outcome_words(outcome: Outcome) -> str:
    if outcome.kind == "raises":
        name = (outcome.exception or "error").split(":")[-1].split(".")[-1]
        return "raises_" + re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    if outcome.value_type == "init":
        return "sets_attributes"
    if outcome.source is None or outcome.source == "None" and outcome.changed:
        return "changes_it" if outcome.source == "None" else "has_attributes"
    short = _words(outcome.source) if outcome.value_type in ("int", "float", "str", "bool", "NoneType") else ""
    return f"returns_{short}" if short else f"returns_{outcome.value_type.lower()}"


def _test(name: str, found: Found, description: dict[str, Any]) -> tuple[str, set[Import]]:
    given, outcome = found.given, found.outcome
    imports: set[Import] = set()
    lines: list[str] = []
    arguments: list[str] = []
    for at, value in enumerate(given.args):
        text, needed = render(value)
        imports |= needed
        if str(at) in outcome.changed:
            variable = _variable(description, at)
            lines.append(f"{variable} = {text}")
            arguments.append(variable)
        else:
            arguments.append(text)
    for key, value in given.kwargs.items():
        text, needed = render(value)
        imports |= needed
        arguments.append(f"{key}={text}")
    call, needed = _call(given, description, arguments, lines, outcome)
    imports |= needed
    imports |= outcome.imports
    parameters = "capsys" if outcome.output else ""
    if outcome.kind == "raises":
        lines += _raises(outcome, call, imports)
    else:
        lines += _asserts(outcome, call, description, imports, _owner(given))
    body = "\n".join(f"    {line}" for line in lines)
    return f"def {name}({parameters}):\n{body}", imports


def _variable(description: dict[str, Any], at: int) -> str:
    parameters = [each["name"] for each in description["parameters"] if each["kind"].startswith("positional")]
    return parameters[at] if at < len(parameters) else f"argument_{at}"


def _call(
    given: Input, description: dict[str, Any], arguments: list[str], lines: list[str], outcome: Outcome
) -> tuple[str, set[Import]]:
    qualname = str(description["qualname"])
    imports: set[Import] = set()
    listed = ", ".join(arguments)
    if given.receiver is not None:
        text, needed = render(given.receiver)
        imports |= needed
        owner = text
        if any(each.startswith("self.") for each in outcome.changed):
            owner = _owner(given)
            lines.append(f"{owner} = {text}")
        call = f"{owner}.{description['name']}" + ("" if description["role"] == "property" else f"({listed})")
    elif description["name"] == "__init__":
        call = f"{qualname.rsplit('.', 1)[0]}({listed})"
    else:
        call = f"{qualname}({listed})"
    if description["is_async"] and description["is_generator"]:
        imports.add(("asyncio", None))
        lines[:0] = ["async def collect(items):", "    return [each async for each in items]", ""]
        return f"asyncio.run(collect({call}))", imports
    if description["is_async"]:
        imports.add(("asyncio", None))
        return f"asyncio.run({call})", imports
    if description["is_generator"] or outcome.value_type == "list" and description.get("returns_iterator"):
        return f"list({call})", imports
    return call, imports


def _owner(given: Input) -> str:
    """Returns the name of the variable that holds the object of a method."""
    if given.receiver is None:
        return "instance"
    cls = given.receiver.cls.__name__
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", cls).lower().strip("_")
    return name if name.isidentifier() and not keyword.iskeyword(name) and name != cls else "instance"


def _raises(outcome: Outcome, call: str, imports: set[Import]) -> list[str]:
    imports.add(("pytest", None))
    module, _, name = (outcome.exception or "Exception").rpartition(":")
    if module:
        imports.add((module, name.split(".")[0]))
    message = outcome.message or ""
    if message and len(message) < 120 and "\n" not in message and " at 0x" not in message:
        text = repr("^" + re.escape(message) + "$").replace("\\\\ ", " ").replace("\\ ", " ")
        return [f"with pytest.raises({name}, match={_raw(message)}):", f"    {call}"] if text else []
    return [f"with pytest.raises({name}):", f"    {call}"]


def _raw(message: str) -> str:
    pattern = re.escape(message).replace("\\ ", " ").replace("\\'", "'").replace('\\"', '"').replace("\\,", ",").replace("\\:", ":")
    pattern = f"^{pattern}$"
    return f'r"{pattern}"' if '"' not in pattern and not pattern.endswith("\\") else repr(pattern)


def _asserts(
    outcome: Outcome, call: str, description: dict[str, Any], imports: set[Import], owner: str
) -> list[str]:
    lines: list[str] = []
    attributes = {key: text for key, text in outcome.changed.items() if key.startswith("result.")}
    changed = {key: text for key, text in outcome.changed.items() if key not in attributes}
    if outcome.value_type == "init":
        lines.append(f"instance = {call}")
        lines += [f"assert instance.{key[5:]} == {text}" for key, text in changed.items()]
        return lines
    if outcome.source is None:
        lines.append(f"result = {call}")
        lines += [f"assert {key} == {text}" for key, text in attributes.items()]
    elif outcome.source == "None" and (changed or outcome.output):
        lines.append(call)
    elif changed or outcome.output:
        lines += [f"result = {call}", _equal("result", outcome, imports)]
    else:
        lines.append(_equal(call, outcome, imports))
    for key, text in changed.items():
        if key.startswith("self."):
            lines.append(f"assert {owner}.{key[5:]} == {text}")
        else:
            lines.append(f"assert {_variable(description, int(key))} == {text}")
    if outcome.output:
        lines.append(f"assert capsys.readouterr().out == {outcome.output!r}")
    return lines


def _equal(actual: str, outcome: Outcome, imports: set[Import]) -> str:
    source = outcome.source or "None"
    if outcome.value_type in ("bool", "NoneType"):
        return f"assert {actual} is {source}"
    if outcome.value_type == "float":
        if source == 'float("nan")':
            imports.add(("math", None))
            return f"assert math.isnan({actual})"
        imports.add(("pytest", None))
        return f"assert {actual} == pytest.approx({source})"
    return f"assert {actual} == {source}"

