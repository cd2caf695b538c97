"""A shopping cart."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Item:
    """Some pieces of one product."""

    name: str
    price_cents: int
    quantity: int = 1

    @property
    def total_cents(self) -> int:
        """Price of all pieces.

        >>> Item("pen", 120, 3).total_cents
        360
        """
        return self.price_cents * self.quantity

    @classmethod
    def parse(cls, text: str) -> Item:
        """Read `name x quantity @ cents`.

        >>> Item.parse("pen x 3 @ 120")
        Item(name='pen', price_cents=120, quantity=3)
        """
        name, separator, rest = text.partition(" x ")
        if not separator:
            raise ValueError("no quantity in " + text)
        quantity, _, cents = rest.partition(" @ ")
        return cls(name.strip(), int(cents), int(quantity))


@dataclass
class Cart:
    """Items by the order in which they were added."""

    items: list[Item] = field(default_factory=list)

    def add(self, item: Item) -> None:
        """Add an item; pieces of a product that is there already are counted together."""
        for known in self.items:
            if known.name == item.name and known.price_cents == item.price_cents:
                known.quantity += item.quantity
                return
        self.items.append(item)

    def total_cents(self, free_shipping_from: int = 5000) -> int:
        """Price of everything with 490 cents of shipping, which large orders do not pay.

        >>> Cart([Item("pen", 120, 2)]).total_cents()
        730
        >>> Cart([Item("desk", 9900)]).total_cents()
        9900
        """
        if not self.items:
            return 0
        total = sum(item.total_cents for item in self.items)
        return total if total > free_shipping_from else total + 490

    @staticmethod
    def is_valid_code(code: str) -> bool:
        """Report whether a code has four letters, a dash and two digits.

        >>> Cart.is_valid_code("SAVE-10")
        True
        """
        letters, dash, digits = code.partition("-")
        return dash == "-" and len(letters) == 4 and letters.isalpha() and len(digits) == 2 and digits.isdigit()

    def __len__(self) -> int:
        """Number of pieces.

        >>> len(Cart([Item("pen", 120, 2), Item("cup", 300)]))
        3
        """
        return sum(item.quantity for item in self.items)
