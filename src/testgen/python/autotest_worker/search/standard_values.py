"""Random values of classes of the standard library."""

from __future__ import annotations

import datetime
import decimal
import fractions
import pathlib
import random
import re
import uuid
from typing import Any

_PATHS = ("a/b.txt", "x", "/data/c.tar.gz", ".")
_PATTERNS = (r"\d+", r"[a-z]+", r"a|b", r"^\s*$", r",\s*")


def standard_value(name: str, draw: random.Random, uses_zones: bool) -> Any:
    """Returns a value of a kind. Raises ValueError for one that is not known.

    `uses_zones`: whether the code speaks of time zones; where it does not, one moment in a zone and one in none do not mix.
    """
    day = datetime.date(2024, 1, 1) + datetime.timedelta(days=draw.randint(-400, 400))
    if name == "date":
        return day
    if name == "datetime":
        zones = [None, None, datetime.timezone.utc, datetime.timezone(datetime.timedelta(hours=2))]
        zone = draw.choice(zones) if uses_zones else None
        return datetime.datetime(day.year, day.month, day.day, draw.randint(0, 23), draw.randint(0, 59), tzinfo=zone)
    if name == "time":
        return datetime.time(draw.randint(0, 23), draw.randint(0, 59))
    if name == "timezone":
        return draw.choice([datetime.timezone.utc, datetime.timezone(datetime.timedelta(hours=2))])
    if name == "timedelta":
        return datetime.timedelta(minutes=draw.randint(-3000, 9000))
    if name == "decimal":
        return decimal.Decimal(draw.randint(-500, 5000)) / 100
    if name == "fraction":
        return fractions.Fraction(draw.randint(-9, 9), draw.randint(1, 9))
    if name == "path":
        return pathlib.Path(draw.choice(_PATHS))
    if name == "pure_path":
        return pathlib.PurePosixPath(draw.choice(_PATHS))
    if name == "uuid":
        return uuid.UUID(int=draw.choice([draw.getrandbits(128), draw.randint(0, 9)]))
    if name == "pattern":
        return re.compile(draw.choice(_PATTERNS))
    raise ValueError(f"no value of {name}")
