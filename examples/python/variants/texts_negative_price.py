"""Texts for customers."""

from __future__ import annotations

from typing import NamedTuple, Optional


class Address(NamedTuple):
    """Where a parcel goes."""

    street: str
    city: str
    zip_code: Optional[str] = None


def format_price(cents: int, currency: str = "EUR") -> str:
    """Return a price as text.

    >>> format_price(123456)
    '1,234.56 EUR'
    >>> format_price(-50, "USD")
    '-0.50 USD'
    """
    sign = "-" if cents < 0 else ""
    whole, rest = divmod(cents, 100)
    return f"{sign}{whole:,}.{rest:02d} {currency}"


def slug(title: str, max_length: int = 20) -> str:
    """Return a title as part of an address: lower case letters and digits, joined by dashes.

    >>> slug("Blue  Pens, 10 pieces")
    'blue-pens-10-pieces'
    """
    words = []
    word = ""
    for letter in title.lower() + " ":
        if letter.isalnum():
            word += letter
        elif word:
            words.append(word)
            word = ""
    text = ""
    for part in words:
        longer = f"{text}-{part}" if text else part
        if len(longer) > max_length:
            break
        text = longer
    return text


def parse_address(line: str) -> Address:
    """Read `street, zip city`, where the zip code may be left out.

    >>> parse_address("Main St 1, 10115 Berlin")
    Address(street='Main St 1', city='Berlin', zip_code='10115')
    >>> parse_address("Main St 1, Berlin").zip_code is None
    True
    """
    street, comma, rest = line.partition(",")
    if not comma or not rest.strip():
        raise ValueError("no city in " + line)
    first, _, others = rest.strip().partition(" ")
    if first.isdigit() and others:
        return Address(street.strip(), others.strip(), first)
    return Address(street.strip(), rest.strip())


def stars(ratings: list[int]) -> str:
    """Return an average rating as five stars, rounded to half of one.

    >>> stars([5, 4])
    '★★★★½'
    >>> stars([])
    'no ratings'
    """
    if not ratings:
        return "no ratings"
    halves = round(2 * sum(ratings) / len(ratings))
    full, half = divmod(halves, 2)
    return "★" * full + ("½" if half else "") + "☆" * (5 - full - half)
