"""Which libraries a project declares: generated tests use no other ones."""

from __future__ import annotations

import functools
import glob
import re

_FILES = ("pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "Pipfile", "environment.yml", "environment.yaml", "noxfile.py")


@functools.lru_cache(maxsize=None)
def _declarations() -> str:
    names = [*_FILES, *glob.glob("*requirements*.txt"), *glob.glob("*requirements*.in"), *glob.glob("requirements/*"), *glob.glob("*/requirements*.txt")]
    texts = []
    for name in sorted(names):
        try:
            with open(name, encoding="utf-8") as file:
                texts.append(re.sub(r"(?m)^\s*#.*$", "", file.read(400_000)))
        except (OSError, ValueError):
            continue
    return "\n".join(texts)


def declares(module: str) -> bool:
    """Whether the project's files name the distribution of a module as something that it needs."""
    name = re.escape(module).replace("_", "[-_.]")
    return re.search(rf"(?i)(?:^|[\s\"'\[,])(?:pytest-)?{name}(?:$|[\s\"'\],;<>=~!\[])", _declarations()) is not None
