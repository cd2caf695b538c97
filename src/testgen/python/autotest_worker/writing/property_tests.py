"""Writes tests of properties: one assertion over several values."""

from __future__ import annotations

from typing import Any

from ..search.properties import Property
from ..values.render import render
from .test_names import free_name, function_words
from .test_statements import Test


def property_test(held: Property, description: dict[str, Any], module: str, taken: set[str]) -> Test:
    """Returns the test of a property. Raises NotRenderable where a value has no source."""
    qualname = str(description["qualname"])
    test = Test(free_name(f"test_{function_words(description)}_{held.words}", taken))
    texts = []
    for value in held.values:
        text, needed = render(value)
        texts.append(text)
        test.imports |= needed
    if held.partner is not None:
        test.imports.add((module, held.partner))
    parameter = next(str(each["name"]) for each in description["parameters"] if each["kind"].startswith("positional"))
    value = parameter if parameter not in (description["name"], "once") else f"{parameter}_value"
    call = f"{qualname}({value})"
    test.lines.append(f"for {value} in [{', '.join(texts)}]:")
    names = {
        "value": value,
        "call": call,
        "again": f"{qualname}(once)",
        "twice": f"{qualname}({call})",
        "reverse": f"{qualname}({value}[::-1])",
    }
    test.lines += ["    " + line.format(**names) for line in held.lines]
    return test
