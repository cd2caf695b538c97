"""Formats the statements of tests as the usual formatters do: double quotes, lines of a width, one item a line."""

from __future__ import annotations

import io
import os
import re
import tokenize
from typing import Optional

DEFAULT_WIDTH = 88
_OPEN, _CLOSE = "([{", ")]}"


def line_width(folder: str = ".") -> int:
    """Returns the line length that the project's formatter is set to, 88 where nothing says it."""
    for name in ("ruff.toml", ".ruff.toml", "pyproject.toml", "setup.cfg"):
        try:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                found = re.search(r"^\s*(?:line-length|line_length|max-line-length)\s*=\s*(\d+)", file.read(), re.MULTILINE)
        except (OSError, UnicodeDecodeError):
            continue
        if found:
            return min(max(int(found[1]), 60), 200)
    return DEFAULT_WIDTH


def formatted(line: str, indent: int, width: int) -> list[str]:
    """Returns a statement as lines, broken at its last bracket where it is too long."""
    text = " " * indent + line
    if len(text) <= width or "\n" in line:
        return [text]
    group = _last_group(line)
    if group is None:
        return _compared(line, indent) or [text]
    opening, closing, commas = group
    head, body, tail = line[: opening + 1], line[opening + 1 : closing], line[closing:]
    if body.strip() == "":
        return [text]
    parts = _split(body, [each - opening - 1 for each in commas])
    inner = indent + 4
    fits = len(" " * inner + body.strip()) <= width
    # A call has nothing between the name and its bracket.
    is_literal = not re.search(r"[\w)\]]$", line[:opening])
    is_import = line.startswith("from ")
    if fits and not is_import and (len(parts) == 1 or not is_literal):
        middle = [" " * inner + body.strip()]
    elif len(parts) == 1 and not is_import:
        middle = formatted(parts[0], inner, width)
    else:
        middle = [each for part in parts for each in _with_comma(formatted(part, inner, width - 1))]
    return [" " * indent + head, *middle, " " * indent + tail]


def _compared(line: str, indent: int) -> Optional[list[str]]:
    """Returns a comparison without brackets with its sides on lines of their own."""
    found = re.match(r"assert ([\w.]+) (==|is) (.+)$", line)
    if found is None:
        return None
    inner = " " * (indent + 4)
    return [" " * indent + "assert (", f"{inner}{found[1]}", f"{inner}{found[2]} {found[3]}", " " * indent + ")"]


def _with_comma(lines: list[str]) -> list[str]:
    return [*lines[:-1], lines[-1] + ","]


def _split(body: str, commas: list[int]) -> list[str]:
    edges = [-1, *commas, len(body)]
    parts = [body[start + 1 : end].strip() for start, end in zip(edges, edges[1:])]
    return [part for part in parts if part]


def _last_group(line: str) -> Optional[tuple[int, int, list[int]]]:
    """Returns the places of the last pair of brackets that is in no other, and of the commas right in it."""
    stack: list[tuple[int, list[int]]] = []
    found: Optional[tuple[int, int, list[int]]] = None
    lambdas = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(line + "\n").readline):
            at = token.start[1]
            if token.type == tokenize.NAME and token.string == "lambda":
                lambdas += 1
            if token.type != tokenize.OP:
                continue
            if token.string in _OPEN:
                stack.append((at, []))
            elif token.string in _CLOSE:
                opening, commas = stack.pop()
                if not stack:
                    found = (opening, at, commas)
            elif token.string == ":" and lambdas:
                lambdas -= 1
            elif token.string == "," and stack and not lambdas:
                stack[-1][1].append(at)
    except (tokenize.TokenError, IndexError, SyntaxError):
        pass
    return found
