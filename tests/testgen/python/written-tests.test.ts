import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { mutantScore, testRun, writtenTests } from '../../../src/testgen/python/worker-results.js'
import { needsPython } from '../../needs.js'
import { findPythonHere, pythonWorkers } from '../python-here.js'

const here = findPythonHere()
const { start, close } = pythonWorkers(here)
afterEach(close)

const testPath = 'tests/test_m.py'

/** Writes tests of a function of `m.py`, runs them, and counts the mutants that survive. */
async function written(files: Readonly<Record<string, string>>, qualname: string) {
  const worker = start(files)
  const existing = files[testPath] ?? ''
  const result = await worker.call(
    'write_tests',
    { path: 'm.py', qualname, existing, seconds: 1.5, seed: 1, test_path: testPath },
    writtenTests,
    60_000,
  )
  await worker.call('write_text', { path: testPath, text: result.text }, z.null(), 10_000)
  const run = await worker.call('run_tests', { paths: [testPath] }, testRun, 60_000)
  const score = await worker.call(
    'score_mutants',
    { path: 'm.py', qualname, tests: [testPath], seconds: 60 },
    mutantScore,
    90_000,
  )
  const passed = run.tests.filter(({ outcome }) => outcome === 'passed').map(({ test }) => test)
  const survivors = score.mutants.filter(({ outcome }) => outcome === 'survived')
  return { ...result, passed, failed: run.tests.length - passed.length + run.errors.length, survivors, score }
}

const graphs = `from collections import deque


def has_cycle(node):
    slow = fast = node
    while True:
        if fast is None or fast.next is None:
            return False
        slow = slow.next
        fast = fast.next.next
        if slow is fast:
            return True


def is_reachable(start_node, goal_node):
    waiting = deque([start_node])
    seen = {start_node}
    while waiting:
        node = waiting.popleft()
        if node is goal_node:
            return True
        for other in node.successors:
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return False


def reverse(node):
    before = None
    while node:
        after = node.next
        node.next = before
        before, node = node, after
    return before


def count(tree, wanted):
    if tree is None:
        return 0
    return (1 if wanted(tree.value) else 0) + count(tree.left, wanted) + count(tree.right, wanted)


def cheapest(weight_by_edge):
    chosen = set()
    for edge in sorted(weight_by_edge, key=weight_by_edge.__getitem__):
        left, right = edge
        if left not in chosen or right not in chosen:
            chosen.update((left, right))
            yield edge
`

describe('objects of which a function reads attributes', needsPython, () => {
  it.each(['has_cycle', 'is_reachable', 'reverse', 'count', 'cheapest'])(
    'are nodes that refer to each other: %s',
    async (qualname) => {
      const { text, passed, failed, survivors, score } = await written({ 'm.py': graphs }, qualname)
      expect(failed).toBe(0)
      expect(passed.length).toBeGreaterThan(1)
      expect(survivors.length / score.mutants.length, text).toBeLessThan(0.25)
    },
    60_000,
  )

  it('are of the class of the module that has these attributes, and the module needs none of ours', async () => {
    const source = `class Node:
    def __init__(self, value):
        self.value = value
        self.next = None


def length(node):
    count = 0
    while node is not None:
        count += 1
        node = node.next
    return count


def total(node):
    return 0 if node is None else node.value + total(node.next)
`
    const { text, passed } = await written({ 'm.py': source }, 'total')
    expect(text).toMatch(/node_\d = Node\(value=\d+\)/)
    expect(text).toMatch(/from m import Node, total/)
    expect(text).not.toContain('StandIn')
    expect(passed.length).toBeGreaterThan(1)
    // Nothing of the class is read but what each of its objects has.
    expect((await written({ 'm.py': source }, 'length')).text).toContain('length(')
  }, 60_000)

  it('get no stand-in where the file has another class of that name', async () => {
    const existing = 'from m import has_cycle\n\n\nclass StandIn:\n    pass\n'
    const { text, failed } = await written({ 'm.py': graphs, [testPath]: existing }, 'has_cycle')
    expect(text).not.toContain('StandIn(')
    expect(text.startsWith(existing)).toBe(true)
    expect(failed).toBe(0)
  }, 60_000)
})

const shop = `from dataclasses import dataclass


@dataclass
class Item:
    name: str
    price: float


class Cart:
    def __init__(self, items, code=None):
        self.items = items
        self.code = code

    def total(self, rate):
        whole = sum(each.price for each in self.items)
        if self.code == "VIP-2024-X" and len(self.items) == 2:
            whole = whole * 0.5
        return whole * (1 + rate)


def parts(text, mode):
    if mode == "qq17" and text[:2] == "ZZ":
        return text[2:].split("|")
    return []
`

describe('what the project has', needsPython, () => {
  it('calls elsewhere are inputs: variables, rows of parametrized tests, objects', async () => {
    const uses = `import pytest
from m import Cart, Item, parts

RATE = 0.25


def test_cart():
    items = [Item("a", 2000.0), Item("b", price=-1)]
    cart = Cart(items, code="VIP-2024-X")
    assert cart.total(RATE) > 0


@pytest.mark.parametrize("text, count", [("ZZa|b", 2), pytest.param("ZZ", 1)])
def test_parts(text, count):
    assert len(parts(text, "qq17")) == count
`
    const files = { 'm.py': shop, 'tests/test_uses.py': uses }
    expect((await written(files, 'parts')).text).toContain(`parts("ZZa|b", "qq17") == ["a", "b"]`)
    const cart = await written(files, 'Cart.total')
    expect(cart.text).toContain(
      'cart = Cart([Item("a", 2000.0), Item("b", price=-1)], code="VIP-2024-X")\n    assert cart.total(0.25) ==',
    )
    expect(cart.failed).toBe(0)
  }, 60_000)

  it('code elsewhere is read, not run', async () => {
    const script = `from m import parts
open("ran.txt", "w").write("yes")
parts(open("ran.txt", "w").name, "qq17")
parts(exit(), print("x"))
`
    const files = { 'm.py': shop, 'scripts/use.py': script, 'broken.py': 'parts(((', 'tests/test_x.py': '' }
    const { passed, failed } = await written(files, 'parts')
    expect([passed.length > 0, failed]).toEqual([true, 0])
  }, 60_000)

  it('fixtures that make an object are used, from other fixtures too, those that need what pytest makes are not', async () => {
    const conftest = `import pytest
from m import Cart, Item


@pytest.fixture
def vip(items):
    """A cart of somebody important."""
    cart = Cart(items, code="VIP-2024-X")
    yield cart


@pytest.fixture
def items():
    radio = Item("radio", 20.0)
    return [Item("tv", 1500.0), radio]


@pytest.fixture
def of_a_file(tmp_path, vip):
    return vip


@pytest.fixture(autouse=True)
def everywhere():
    yield Cart([])
`
    const { text, failed } = await written({ 'm.py': shop, 'tests/conftest.py': conftest }, 'Cart.total')
    expect(text).toMatch(/def test_cart_total_\w+\(vip\):\n {4}assert vip\.total\(/)
    expect(text).not.toContain('of_a_file')
    expect(text).not.toContain('everywhere')
    expect(failed).toBe(0)
  }, 60_000)

  it('functions beside the tests that make an object are used', async () => {
    const factories = `from m import Cart, Item


def make_cart(count=2, code="VIP-2024-X"):
    cart = Cart([Item("tv", 1500.0)] * count, code=code)
    return cart


def number():
    return 3
`
    const { text, failed } = await written({ 'm.py': shop, 'tests/factories.py': factories }, 'Cart.total')
    expect(text).toMatch(/from factories import make_cart/)
    expect(text).toMatch(/make_cart\((count=-?\d+|code="[^"]*")?\)\.total\(/)
    expect(failed).toBe(0)
  }, 60_000)

  it('tests are methods of classes where the project has such, of a class of their own or the one that is there', async () => {
    const other =
      'from m import Cart\n\n\nclass TestCart:\n    def test_code(self):\n        assert Cart([]).code is None\n'
    const first = await written({ 'm.py': shop, 'tests/test_other.py': other }, 'parts')
    expect(first.text).toMatch(/\n\n\nclass TestParts:\n {4}def test_parts_\w+\(self\):\n {8}assert parts\(/)
    expect(first.failed).toBe(0)

    const existing =
      'from m import parts\n\n\nclass TestParts:\n    def test_parts_of_nothing(self):\n        assert parts("", "") == []\n\n\n# the end\n'
    const second = await written({ 'm.py': shop, [testPath]: existing }, 'parts')
    expect(second.text).toMatch(/== \[\]\n\n {4}def test_parts_\w+\(self\):/)
    expect(second.text.endsWith('\n\n\n# the end\n')).toBe(true)
    expect(second.text.match(/^class /gm)).toHaveLength(1)
    expect(second.failed).toBe(0)
  }, 90_000)

  it.each([
    ['ends of lines of Windows', '\r\n', ''],
    ['a mark of its encoding', '\n', '\ufeff'],
  ])(
    'a file keeps %s, and every line that it has',
    async (_what, end, mark) => {
      const existing = `${mark}import os${end}${end}from m import parts${end}${end}${end}def test_parts_mine():${end}    assert parts(os.sep, "") == []${end}`
      const { text, failed, names } = await written({ 'm.py': shop, [testPath]: existing }, 'Cart.total')
      expect([names.length > 1, failed]).toEqual([true, 0])
      expect(text.startsWith(`${mark}import os${end}${end}`)).toBe(true)
      expect(text.match(/\n/g)?.length).toBe(
        end === '\n' ? text.split('\n').length - 1 : text.match(/\r\n/g)?.length,
      )
      let rest = text
      for (const line of existing.split(end)) {
        expect(rest).toContain(line)
        rest = rest.slice(rest.indexOf(line) + line.length)
      }
    },
    60_000,
  )

  it('imports go beside those of their kind', async () => {
    const existing =
      '"""Mine."""\n\nimport os\n\nfrom m import parts\n\n\ndef test_parts_mine():\n    assert parts(os.sep, "") == []\n'
    const source = shop.replace('1 + rate', '1.5 + rate')
    const { text } = await written({ 'm.py': source, [testPath]: existing }, 'Cart.total')
    expect(text).toMatch(
      /^"""Mine\."""\n\nimport os\n\nimport pytest\n\nfrom m import parts\nfrom m import Cart(, Item)?\n\n\ndef test_parts_mine/,
    )
  }, 60_000)

  it('lines are as long as its formatter allows', async () => {
    const { text } = await written(
      { 'm.py': shop, 'pyproject.toml': '[tool.black]\nline-length = 70\n' },
      'Cart.total',
    )
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100)
    expect(text).toMatch(/Characterization tests: they hold what the function does today, found\nby/)
  }, 60_000)
})

describe('what holds for all inputs', needsPython, () => {
  const source = `def rot13(text: str) -> str:
    return "".join(
        chr((ord(each) - 97 + 13) % 26 + 97) if "a" <= each <= "z" else each for each in text
    )


def even(number: int) -> int:
    return number - number % 2


def to_hex(text: str) -> str:
    return "".join("%04x" % ord(each) for each in text)


def from_hex(text: str) -> str:
    return "".join(chr(int(text[at : at + 4], 16)) for at in range(0, len(text), 4))


def total(numbers: list[int]) -> int:
    whole = 0
    for each in numbers:
        whole += each
    return whole


def double(number: int) -> int:
    return number * 2
`
  it.each([
    ['rot13', 'assert rot13(rot13(text)) == text'],
    ['even', 'once = even(number)\n        assert even(once) == once'],
    ['to_hex', 'assert from_hex(to_hex(text)) == text'],
    ['total', 'assert total(numbers[::-1]) == total(numbers)'],
  ])(
    'is a test beside the values: %s',
    async (qualname, assertion) => {
      const { text, failed } = await written({ 'm.py': source }, qualname)
      expect(text).toContain(assertion)
      expect(failed).toBe(0)
    },
    60_000,
  )

  it('is no test where it holds for some inputs only', async () => {
    expect((await written({ 'm.py': source }, 'double')).text).not.toContain('for number in')
  }, 60_000)
})

describe('generators', needsPython, () => {
  it.each([
    ['naturals', 'def naturals(start: int):\n    while True:\n        yield start\n        start += 2\n'],
    ['ticks', 'async def ticks(start: int):\n    while True:\n        yield start\n        start += 2\n'],
  ])(
    'that never end are asked for their first values: %s',
    async (qualname, source) => {
      const { passed, failed, survivors } = await written({ 'm.py': source }, qualname)
      expect([passed.length > 1, failed, survivors.length]).toEqual([true, 0, 0])
    },
    60_000,
  )
})

describe('parameters that say nothing of their types', needsPython, () => {
  it('get values that are alike where the code compares them', async () => {
    const source = `def distance(source, target):
    if source == "" or target == "":
        return len(source) or len(target)
    if source[0] == target[0]:
        return distance(source[1:], target[1:])
    return 1 + min(distance(source, target[1:]), distance(source[1:], target[1:]), distance(source[1:], target))
`
    const { text, survivors, score } = await written({ 'm.py': source }, 'distance')
    expect(text).not.toMatch(/distance\((\[|b"|\{)/)
    expect(survivors.length / score.mutants.length, text).toBeLessThan(0.2)
  }, 60_000)

  it('get no sets, mappings and bytes where lists do, and no truth values where numbers do', async () => {
    const source = `def spread(values, times):
    largest = smallest = None
    for each in values:
        largest = each if largest is None or each > largest else largest
        smallest = each if smallest is None or each < smallest else smallest
    return [] if largest is None else [largest, smallest] * times
`
    const { text, passed } = await written({ 'm.py': source }, 'spread')
    expect(passed.length).toBeGreaterThan(1)
    expect(text).not.toMatch(/spread\((\{|b"|set)/)
    expect(text).not.toMatch(/, (True|False)\)/)
  }, 60_000)

  it('get the types that the code asks for', async () => {
    const source = `def tail(data, wanted):
    separator = b"/" if isinstance(data, bytes) else "/"
    if not isinstance(wanted, int):
        raise TypeError("wanted is a number")
    return data.split(separator)[-wanted:]
`
    const { text } = await written({ 'm.py': source }, 'tail')
    expect(text).toMatch(/tail\(b"/)
    expect(text).toMatch(/tail\("/)
    expect(text).not.toContain('TypeError')
  }, 60_000)

  it('get no arguments of other functions of that name', async () => {
    const source = 'def join(left, right):\n    return left + "-" + right if left else right\n'
    const other =
      'import os.path\nfrom other import join\n\n", ".join(["odd one", "out"])\nos.path.join("odd", "one")\njoin("odd one", "out")\n'
    const used = 'import m\n\nm.join("used", "so")\n'
    const { text } = await written({ 'm.py': source, 'a.py': other, 'b.py': used }, 'join')
    expect(text).toContain('join("used", "so") == "used-so"')
    expect(text).not.toContain('odd')
  }, 60_000)
})

describe('a function', needsPython, () => {
  it('that another one replaces at import is said to be replaced', async () => {
    const source = 'def bisect_left(a, x):\n    return len(a)\n\n\nfrom _bisect import *\n'
    await expect(written({ 'm.py': source }, 'bisect_left')).rejects.toThrow(
      /bisect_left is replaced when m is imported/,
    )
  }, 30_000)

  it('on texts gets texts of the kinds that people work with, and those that its patterns match', async () => {
    const source = `import re

VERSION = re.compile(r"v(\\d+)\\.(\\d+)(?:-(alpha|beta))?$")


def version(text: str) -> tuple:
    found = VERSION.match(text)
    if found is None:
        return ()
    return (int(found[1]), int(found[2]), found[3] or "")
`
    const { survivors, score, text } = await written({ 'm.py': source }, 'version')
    expect(text).toMatch(/version\("v\d+\.\d+-(alpha|beta)"\)/)
    expect(survivors.length / score.mutants.length, text).toBeLessThan(0.2)
  }, 60_000)
})

describe('names that pytest would collect', needsPython, () => {
  const files = {
    'm.py': `class TestBed:
    def __init__(self, size: int) -> None:
        self.size = size

    def grow(self, by: int) -> int:
        self.size += by
        return self.size * 2


def test_value(n: int) -> int:
    return n * 3 + 1


def check_value(n: int) -> int:
    return n * 5 + 1
`,
  }

  it.each([
    ['test_value', {}, /from m import test_value as _test_value\n/],
    ['TestBed.grow', {}, /from m import TestBed as _TestBed\n/],
    ['check_value', {}, /from m import check_value\n/],
    [
      'check_value',
      { 'pytest.ini': '[pytest]\npython_functions = test check_*\n' },
      /from m import check_value as _check_value\n/,
    ],
  ])(
    'are imported under another one: %s',
    async (qualname, more, line) => {
      const { text, names, passed, failed, survivors } = await written({ ...files, ...more }, qualname)
      expect(text).toMatch(line)
      // What pytest runs is what was written, and nothing of the project.
      expect([passed.length, failed]).toEqual([names.length, 0])
      expect(survivors).toEqual([])
    },
    60_000,
  )
})
