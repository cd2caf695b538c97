import { afterEach, describe, expect, it } from 'vitest'
import { needsPython } from '../../needs.js'
import { findPythonHere, pythonWorkers } from '../python-here.js'
import { scoredTests } from './scored-tests.js'

const { start, close } = pythonWorkers(findPythonHere())
afterEach(close)

async function written(
  source: string,
  qualname: string,
  existing = '',
  files: Readonly<Record<string, string>> = {},
) {
  return scoredTests(start({ 'm.py': source, ...files }), qualname, { existing })
}

const ports = `from __future__ import annotations

import abc
from typing import Callable, Optional, Protocol


class Mailer(Protocol):
    sender: str

    def send(self, to: str, text: str) -> bool: ...


class Store(abc.ABC):
    @abc.abstractmethod
    def get(self, key: str) -> Optional[str]: ...

    @abc.abstractmethod
    def put(self, key: str, value: str) -> None: ...

    @property
    @abc.abstractmethod
    def size(self) -> int: ...


class Prices(abc.ABC):
    @abc.abstractmethod
    async def price(self, name: str) -> int: ...


def mail(mailer: Mailer, names: list[str]) -> int:
    sent = 0
    for name in names:
        if name and mailer.send(name, f"from {mailer.sender}"):
            sent += 1
    return sent


def remember(store: Store, key: str, value: str) -> bool:
    if store.size > 5 or store.get(key) == value:
        return False
    store.put(key, value)
    return True


async def twice(prices: Prices, name: str) -> int:
    return 2 * await prices.price(name)


class Service:
    def __init__(self, store: Store, key: str) -> None:
        self._store = store
        self._key = key

    def set(self, value: str) -> None:
        self._store.put(self._key, value.strip())


def report(rows: list[int], on_row: Callable[[int, str], None]) -> None:
    for row in rows:
        on_row(row, "odd" if row % 2 else "even")


def retry(action: Callable[[], int], attempts: int = 3) -> int:
    for _ in range(attempts):
        try:
            return action()
        except ConnectionError:
            continue
    raise RuntimeError("gave up")


def scaled(values: list[int], by: Callable[[int], float]) -> list[float]:
    return [round(by(each) + 1, 2) for each in values]
`

describe('what is passed records its calls', needsPython, () => {
  const functions: Readonly<Record<string, readonly RegExp[]>> = {
    mail: [/class RecordingMailer\(Mailer\):/, /mailer\.calls == \[\("send", /, /sender="/],
    remember: [/class RecordingStore\(Store\):/, /\("put", /, /RecordingStore\(.*size=\d/],
    twice: [/async def price\(self, \*values, \*\*named\):/, /asyncio\.run\(twice\(prices, /],
    'Service.set': [/store = RecordingStore\(/, /assert store\.calls == \[\("put", /],
    report: [/recorder = Recorder\(\)/, /recorder\.calls == \[\(-?\d+, "(odd|even)"\)/],
    retry: [/Recorder\(ConnectionError\("refused"\)/, /pytest\.raises\(RuntimeError/],
    scaled: [/Recorder\(-?\d+\.\d|lambda/],
  }
  for (const [name, says] of Object.entries(functions))
    it(`and a test says which: ${name}`, async () => {
      const result = await written(ports, name)
      expect(result.names, result.problem ?? '').not.toEqual([])
      expect(result.failed).toEqual([])
      for (const each of says) expect(result.text).toMatch(each)
      expect(result.share, result.text).toBeGreaterThanOrEqual(0.75)
      expect(result.suspects).toEqual([])
    }, 120_000)

  it('beside fixtures, though a protocol does not let itself be asked who implements it', async () => {
    const conftest =
      'import pytest\nfrom m import Service\n\n\nclass Nothing:\n    pass\n\n\n@pytest.fixture\ndef nothing():\n    return Nothing()\n\n\n@pytest.fixture\ndef service():\n    return Service(None, "a")\n'
    const result = await written(ports, 'mail', '', { 'tests/conftest.py': conftest })
    expect(result.problem).toBeNull()
    expect(result.failed).toEqual([])
    expect(result.text).toContain('class RecordingMailer(Mailer):')
  }, 60_000)

  it('but no test is of the class that records itself', async () => {
    for (const name of ['Mailer.send', 'Store.get']) {
      const result = await written(ports, name)
      expect(result.names).toEqual([])
      expect(result.problem).toMatch(/^(Mailer|Store) leaves it to others to say what its (send|get) does$/)
    }
  }, 60_000)

  it('with a class that the file has under another text it is left out', async () => {
    const existing =
      'from m import Store\n\n\nclass RecordingStore(Store):\n    """Mine."""\n\n\ndef test_nothing():\n    assert Store\n'
    const { text } = await written(ports, 'remember', existing)
    expect(text.split('class RecordingStore').length).toBe(2)
    expect(text).toContain('"""Mine."""')
  }, 60_000)
})

describe('no suspect is', needsPython, () => {
  it('an error for items of which no type says what they are, or for a moment of which none says that it has a zone', async () => {
    const source = `from datetime import datetime, timezone


def widths(rows: list) -> int:
    return max([len(each[0]) for each in rows] + [1])


def age(at: datetime) -> int:
    return (datetime(2024, 1, 1, tzinfo=timezone.utc) - at).days
`
    expect((await written(source, 'widths')).suspects).toEqual([])
    expect((await written(source, 'age')).suspects).toEqual([])
  }, 60_000)
})
