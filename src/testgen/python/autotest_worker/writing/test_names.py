"""Names of tests: the function, the scenario, the outcome."""

from __future__ import annotations

import re
from typing import Any

from ..search.chosen_inputs import Found
from ..search.current_call import FOLDER
from ..search.target import Outcome
from ..values.built_objects import Lambda
from ..values.object_graphs import GraphNode, nodes_of
from ..values.temporary_paths import TemporaryPath


def free_name(name: str, taken: set[str]) -> str:
    if name not in taken:
        return name
    number = 2
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"


def _words(text: str) -> str:
    """Returns the words of a text, at most 24 characters of whole words."""
    if re.fullmatch(r"-?\d+(\.\d+)?(e[+-]?\d+)?", text):
        text = f"{float(text):.6g}" if "." in text or "e" in text else text
        text = text.replace("-", " minus ").replace("+", " ").replace(".", " point ")
    found = ""
    for word in re.findall(r"[a-z0-9]+", text.lower()):
        if len(found) + len(word) > 24:
            break
        found = f"{found}_{word}".strip("_")
    return found


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
    if isinstance(value, TemporaryPath):
        return _words(value.name) or "folder"
    if isinstance(value, GraphNode):
        count = len(nodes_of([value]))
        return f"{count}_nodes" if count > 1 else "node"
    if isinstance(value, Lambda):
        return "function"
    cls = getattr(value, "cls", type(value))
    return _words(cls.__name__) or "object"


def function_words(description: dict[str, Any]) -> str:
    return str(description["qualname"]).replace("<locals>.", "").replace(".", "_").lower().strip("_")


def test_name(description: dict[str, Any], found: Found) -> str:
    function = function_words(description)
    parts = [_describe(each) for each in found.given.args[:3]]
    parts += [f"{name}_{_describe(each)}" for name, each in list(found.given.kwargs.items())[:2]]
    receiver = found.given.receiver
    parts += [words for name, each in sorted(found.given.around.items()) if (words := _arranged_words(name, each))][:2]
    if receiver is not None and receiver.calls:
        parts.append(f"after_{receiver.calls[-1][0].lower()}")
    scenario = "_and_".join(part for part in parts if part) or ("object" if receiver is not None else "no_arguments")
    return re.sub(r"_+", "_", f"test_{function}_{scenario[:50].strip('_')}_{_outcome_words(found.outcome)}")


def _arranged_words(name: str, value: Any) -> str:
    """Returns a few words for what a test arranges; none for what says nothing of the scenario."""
    kind, _, rest = name.partition(" ")
    if kind == "variable":
        return f"{_words(rest)}_{'unset' if value is None else _describe(value)}"
    if kind == "file":
        return f"{_words(rest)}_{'absent' if value is None else 'folder' if value == FOLDER else _describe(value)}"
    if kind == "argv":
        return "arguments_" + "_".join(_describe(each) for each in value[1:3]) if len(value) > 1 else "no_arguments_given"
    return f"at_{value:%Y_%m_%d_%H_%M}" if kind == "now" else f"input_{_describe(value)}" if kind == "stdin" else ""


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
