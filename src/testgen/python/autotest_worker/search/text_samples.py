"""Texts that functions on texts are tried with, and texts that a regular expression matches."""

from __future__ import annotations

import random
import re
import warnings
from typing import Any, Optional

#: Texts of the kinds that people work with: lines, paths, addresses, dates, numbers, pairs, markup.
SAMPLES = (
    "one two  three",
    "  first line\n    second line\n\n  third\n",
    "/usr/local/lib/file.tar.gz",
    "https://user@example.com:8080/a/b.html?x=1&y=2#part",
    "2024-02-29",
    "12:34:56",
    "-3.14e2",
    "key=value; other=1",
    "a,b,,c",
    "<b>x &amp; y</b>",
    '"quoted" \'text\'',
    "Ann Lee <ann@example.com>",
    "(1 + 2) * x",
    "[a-c]*.t?t",
    "snake_case_name",
    "CamelCaseName",
    "äöü ß 漢",
    "C:\\dir\\file.txt",
    "%41%20b+c",
    "{[()]}",
    "1010",
    "MCMXCIV",
    "\t\x00\x7f",
)
_MOST = 60


def matching(pattern: Any, draw: random.Random) -> Optional[str]:
    """Returns a text that a regular expression, as text or compiled, matches in most cases; None where none is made."""
    source = getattr(pattern, "pattern", pattern)
    if not isinstance(source, str):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parser: Any = getattr(re, "_parser", None) or __import__("sre_parse")
        text = "".join(_parts(parser.parse(source, getattr(pattern, "flags", 0)), draw, {}))
    except (re.error, RecursionError, ValueError, TypeError, OverflowError):
        return None
    return text if len(text) <= 200 else None


def _parts(items: Any, draw: random.Random, groups: dict[int, str]) -> list[str]:
    """Returns the texts of the parts of a parsed expression."""
    found: list[str] = []
    for operation, argument in items:
        name = str(operation)
        if name == "LITERAL":
            found.append(chr(argument))
        elif name == "NOT_LITERAL":
            found.append(draw.choice([each for each in "ab0 -" if ord(each) != argument]))
        elif name == "ANY":
            found.append(draw.choice("aZ0 .-"))
        elif name == "IN":
            found.append(_member(argument, draw))
        elif name == "BRANCH":
            found += _parts(draw.choice(argument[1]), draw, groups)
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            least, most, inner = argument
            for _ in range(draw.randint(least, max(least, min(int(most), least + 3)))):
                found += _parts(inner, draw, groups)
        elif name == "SUBPATTERN":
            text = "".join(_parts(argument[-1], draw, groups))
            if argument[0] is not None:
                groups[argument[0]] = text
            found.append(text)
        elif name == "GROUPREF":
            found.append(groups.get(argument, ""))
        elif name == "ATOMIC_GROUP":
            found += _parts(argument, draw, groups)
    return found


def _member(items: Any, draw: random.Random) -> str:
    """Returns a character of a set of characters."""
    if str(items[0][0]) == "NEGATE":
        refused = {each for item in items[1:] for each in _characters(item)}
        return draw.choice([each for each in "ab0 -_.Z/" if each not in refused] or ["§"])
    return draw.choice(_characters(draw.choice(items)) or ["a"])


def _characters(item: Any) -> list[str]:
    name, argument = str(item[0]), item[1]
    if name == "LITERAL":
        return [chr(argument)]
    if name == "RANGE":
        low, high = argument
        return [chr(each) for each in {low, high, (low + high) // 2, *range(low, min(high, low + _MOST) + 1)}]
    category = str(argument)
    if category.endswith("NOT_DIGIT") or category.endswith("NOT_SPACE"):
        return ["a", "_", "-"]
    if category.endswith("NOT_WORD"):
        return ["-", " ", "."]
    return {"DIGIT": list("0123456789"), "SPACE": [" ", "\t"], "WORD": list("abz09_")}.get(category.split("_")[-1], ["a"])
