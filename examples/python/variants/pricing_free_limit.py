"""Prices, discounts and shipping."""

from __future__ import annotations


def calculate_total(price: float, quantity: int = 1, *, discount: float = 0.0) -> float:
    """Return what some items cost together.

    >>> calculate_total(2.5, 4)
    10.0
    >>> calculate_total(10.0, 2, discount=0.25)
    15.0
    """
    if quantity < 0:
        raise ValueError("quantity must not be negative")
    if not 0 <= discount <= 1:
        raise ValueError("discount must be between 0 and 1")
    return price * quantity * (1 - discount)


def shipping_cost(weight: float, express: bool = False) -> float:
    """Return the cost of a parcel: free of charge up to half a kilogram.

    >>> shipping_cost(0.4)
    0.0
    >>> shipping_cost(3.0, express=True)
    15.0
    """
    if weight < 0.5:
        cost = 0.0
    elif weight <= 5:
        cost = 5.0
    else:
        cost = 5.0 + (weight - 5) * 1.5
    return cost + 10.0 if express else cost


def split_bill(total_cents: int, people: int) -> list[int]:
    """Split an amount so that the shares differ by one cent at most.

    >>> split_bill(100, 3)
    [34, 33, 33]
    """
    if people < 1:
        raise ValueError("people must be at least 1")
    share, rest = divmod(total_cents, people)
    return [share + 1 if index < rest else share for index in range(people)]


def best_offer(prices: dict[str, float]) -> str | None:
    """Return the shop with the lowest price, the first by name of equal ones.

    >>> best_offer({"north": 3.0, "east": 2.5})
    'east'
    >>> best_offer({}) is None
    True
    """
    best = None
    for shop in sorted(prices):
        if best is None or prices[shop] < prices[best]:
            best = shop
    return best


def apply_vouchers(price: float, *vouchers: float) -> float:
    """Take vouchers off a price, which never falls below zero.

    >>> apply_vouchers(20.0, 5.0, 2.5)
    12.5
    """
    for voucher in vouchers:
        if voucher < 0:
            raise ValueError("a voucher must not be negative")
        price -= voucher
    return max(price, 0.0)
