"""The changes of a function that undo frequent mistakes: more than a mutant's, as the right program is among them only by chance."""

from __future__ import annotations

from typing import Iterator

from ..functions import Function
from .expression_fixes import ExpressionFixes
from .source_edits import Edit, Source
from .statement_fixes import StatementFixes


def fixes_of(source: Source, target: Function) -> Iterator[Edit]:
    """Yields edits of a function; many are no better than what is there."""
    yield from ExpressionFixes(source, target).expressions()
    yield from StatementFixes(source, target).statements()
