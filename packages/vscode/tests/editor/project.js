// The project that the editor opens: a Python package, and the sample's benchmark with a metric that reads a replaced table.
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

export const repository = resolve(import.meta.dirname, '../../../..')

const source = `"""Prices of the shop."""


def discounted(price: float, percent: int) -> float:
    """Returns a price with a discount."""
    if percent < 0 or percent > 100:
        raise ValueError("percent must be between 0 and 100")
    return round(price * (100 - percent) / 100, 2)


class Cart:
    """What somebody buys."""

    def __init__(self, limit: int = 3) -> None:
        self.limit = limit
        self.items: list[str] = []

    def add(self, item: str) -> bool:
        """Adds an item; false where the cart is full."""
        if len(self.items) >= self.limit:
            return False
        self.items.append(item)
        return True
`

export function writeProject(folder) {
  const write = (path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  for (const part of ['benchmarks', 'kb', 'agents', 'data', 'autotest.config.yaml'])
    cpSync(join(repository, part), join(folder, part), {
      recursive: true,
      filter: (path) => !/\.duckdb(\.|$)/.test(path),
    })
  const snippet = 'kb/snippets/orders.sql'
  write(snippet, readFileSync(join(folder, snippet), 'utf8').replace('commerce.orders', 'commerce.orders_v1'))
  write('src/shop/__init__.py', '')
  write('src/shop/prices.py', source)
  write('pyproject.toml', '[project]\nname = "shop"\nversion = "1.0"\n')
  write('.gitignore', '__pycache__/\nnode_modules/\n.autotest/\nreports/\n')
}

/** Makes this repository the server of a project's own node_modules. */
export function linkServer(folder) {
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  symlinkSync(repository, join(folder, 'node_modules/autotest-harness'))
}
