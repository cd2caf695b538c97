import { afterEach, describe, expect, it } from 'vitest'
import { needsPython } from '../../needs.js'
import { findPythonHere, pythonWorkers } from '../python-here.js'
import { scoredTests } from './scored-tests.js'

const { start, close } = pythonWorkers(findPythonHere())
afterEach(close)

const differences = ['clock', 'environment', 'time zone', 'arguments', 'host', 'network']

/** Writes tests of a function of `m.py`, runs them elsewhere in other surroundings, and returns the share of its mutants that they kill. */
async function written(source: string, qualname: string, files: Readonly<Record<string, string>> = {}) {
  const worker = start({ 'm.py': source, ...files })
  const result = await scoredTests(worker, qualname, { run: { differences, elsewhere: true } })
  expect(result.names, result.problem ?? '').not.toEqual([])
  return result
}

const imports = `import csv
import json
import logging
import os
import random
import sys
import time
from pathlib import Path
from time import sleep

log = logging.getLogger(__name__)


`

/** Functions by what a test of them arranges or looks at: source, what the test says, share of mutants at least. */
const functions: Readonly<Record<string, readonly [string, readonly RegExp[], number]>> = {
  'environment variables': [
    `def f():
    level = os.environ.get("APP_LEVEL", "info")
    if "APP_DEBUG" in os.environ:
        return "debug"
    return level.upper()
`,
    [
      /monkeypatch\.setenv\("APP_LEVEL", /,
      /monkeypatch\.delenv\("APP_LEVEL", raising=False\)/,
      /setenv\("APP_DEBUG"/,
    ],
    0.8,
  ],
  'arguments of the program': [
    `def f():
    return [each.lstrip("-") for each in sys.argv[1:] if each.startswith("--")]
`,
    [/monkeypatch\.setattr\("sys\.argv", \["prog", /],
    0.7,
  ],
  'the input of the program': [
    `def f():
    answer = input("sure? ")
    return answer.strip().lower() in ("y", "yes")
`,
    [/monkeypatch\.setattr\("sys\.stdin", io\.StringIO\(".*\\n"\)\)/],
    0.6,
  ],
  'random numbers': [
    `def f(n: int):
    if n < 0:
        raise ValueError("n")
    return [random.randint(1, 6) for _ in range(n)]
`,
    [/random\.seed\(\d+\)/],
    0.7,
  ],
  'how long it waits': [
    `def f(n: int):
    for at in range(n):
        time.sleep(0.5 * 2**at)
    return n
`,
    [
      /waited = \[\]/,
      /monkeypatch\.setattr\("time\.sleep", waited\.append\)/,
      /assert waited == \[0\.5, 1\.0/,
    ],
    0.7,
  ],
  'how long it waits by a name of its own': [
    `def f(seconds: int):
    sleep(seconds + 1)
`,
    [/monkeypatch\.setattr\("m\.sleep", waited\.append\)/, /assert waited == \[/],
    0.7,
  ],
  'what it logs': [
    `def f(names: list[str]):
    for name in names:
        if not name:
            log.warning("a name is empty")
        else:
            log.info("hello %s", name)
    return len(names)
`,
    [/assert caplog\.messages == \[/, /caplog\.set_level\("DEBUG"\)/],
    0.7,
  ],
  'a file that it reads': [
    `def f(path: Path):
    if not path.exists():
        return None
    return [line.strip() for line in path.read_text().splitlines() if not line.startswith("#")]
`,
    [/\(tmp_path \/ "[\w.]+"\)\.write_text\(/, /f\(tmp_path \/ "/, /is None/],
    0.7,
  ],
  'a file that is named by a text': [
    `def f(path, column):
    with open(path, newline="") as file:
        return [row[column] for row in csv.DictReader(file) if row.get(column)]
`,
    [/write_text\(/, /f\(str\(tmp_path \/ "/],
    0.5,
  ],
  'a file that it names itself': [
    `def f():
    try:
        with open("settings.json") as file:
            return json.load(file).get("name", "nobody")
    except FileNotFoundError:
        return "none"
`,
    [/monkeypatch\.chdir\(tmp_path\)/, /\(tmp_path \/ "settings\.json"\)\.write_text\(/],
    0.5,
  ],
  'a file that it writes': [
    `def f(rows: list[str], target: Path):
    target.write_text("\\n".join(rows) + "\\n")
    return len(rows)
`,
    [/assert \(tmp_path \/ "[\w.]+"\)\.read_text\(\) == /],
    0.7,
  ],
  'a folder': [
    `def f(folder: Path):
    return sorted(each.name for each in folder.glob("*.log"))
`,
    [/\(tmp_path \/ "folder"\)\.mkdir\(parents=True\)/, /folder\/\w+\.log"\)\.write_text/],
    0.4,
  ],
  'paths in what it returns and raises': [
    `def f(folder: Path, name: str) -> Path:
    if not folder.is_dir():
        raise ValueError(f"{folder} is no folder")
    return folder / (name or "x.txt")
`,
    [/with pytest\.raises\(ValueError\):/, /== tmp_path \/ "/],
    0.5,
  ],
}

describe('a test arranges what a function finds, and looks at', needsPython, () => {
  for (const [what, [source, says, share]] of Object.entries(functions))
    it(what, async () => {
      const result = await written(imports + source, 'f')
      expect(result.failed).toEqual([])
      for (const each of says) expect(result.text).toMatch(each)
      expect(result.share, result.text).toBeGreaterThanOrEqual(share)
      expect(result.text).not.toMatch(/\/tmp\/|StandIn/)
    }, 120_000)

  it('the folder of a test by its fixture only, though the function compares its path', async () => {
    const source = `${imports}def f(path: str, known: str) -> bool:
    with open(path) as file:
        lines = file.read().splitlines()
    return path == known or known in lines or any(each == path for each in lines)
`
    const { text, failed } = await written(source, 'f')
    expect(failed).toEqual([])
    expect(text).toContain('tmp_path')
    expect(text).not.toMatch(/\/tmp|tests-\w+|test_0/)
  }, 60_000)

  it('nothing for a function that asks for nothing', async () => {
    const { text } = await written(
      `${imports}def f(n: int, name: str) -> str:\n    return name * n if n > 2 else name.upper()\n`,
      'f',
    )
    expect(text).not.toMatch(/monkeypatch|tmp_path|caplog|seed|freeze/)
  }, 60_000)

  it('no variables that only Python itself asks for, and none of the machine', async () => {
    const { text } = await written(
      'import os\n\n\ndef f(name: str) -> str:\n    return os.path.basename(name) + str(len(os.environ.get("APP_X", "")))\n',
      'f',
    )
    expect(text).toContain('APP_X')
    expect(text).not.toMatch(/HOME|PATH"|COLUMNS|LANG/)
  }, 60_000)
})
