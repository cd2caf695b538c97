import { describe, expect, it } from 'vitest'
import { repairMark } from '../../../src/kb/native/repair-mark.js'
import { snapshotOf } from '../../contracts/agent.contract.js'

const markOf = (path: string, text: string) => repairMark(path, snapshotOf({ [path]: text }))

describe('a mark against repairs', () => {
  it.each([
    ['kb/snippets/a.sql', '-- autotest: never repair', 1],
    ['kb/snippets/a.sql', 'SELECT 1\n  /* Autotest: never repair, ask finance */', 2],
    ['kb/notes/a.md', '# A\n\n<!-- autotest: never repair -->', 3],
    ['kb/metrics/a.yaml', 'metric: a\nrepair: never', 2],
    ['kb/metrics/a.yaml', 'metric: a\r\nrepair: "never"\r\n', 2],
    ['kb/metrics/a.yaml', '# autotest: never repair\nmetric: a', 1],
  ])('%s: %j', (path, text, line) => expect(markOf(path, text)?.line).toBe(line))

  it.each([
    ['kb/snippets/a.sql', "SELECT '-- autotest: never repair'"],
    ['kb/notes/a.md', 'repair: never'],
    ['kb/notes/a.md', 'Entries with "autotest: never repair" are left alone.'],
    ['kb/metrics/a.yaml', 'parameters:\n  repair: never'],
  ])('is not in %s: %j', (path, text) => expect(markOf(path, text)).toBeUndefined())
})
