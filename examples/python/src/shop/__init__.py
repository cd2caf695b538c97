"""An online shop: prices, a cart, stock, texts and events."""
