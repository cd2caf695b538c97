import { describe, expect, it } from 'vitest'
import { readTask } from '../../../src/app/tdd/read-task.js'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const expected = {
  task: 'Discounts',
  design: 'As ever.',
  criteria: ['discount(100, 10) == 90', '`f(1)` raises ValueError'],
  interfaces: ['src/calc.py: def discount(price, percent)'],
  testPath: 'tests/unit/test_calc.py',
}

describe('a task', () => {
  it.each([
    [
      'YAML',
      'a.yaml',
      'task: Discounts\ndesign: As ever.\nacceptance_criteria:\n  - discount(100, 10) == 90\n  - "`f(1)` raises ValueError"\ninterfaces: |\n  src/calc.py: def discount(price, percent)\ntarget_test_path: tests/unit/test_calc.py\n',
    ],
    [
      'headings',
      'a.md',
      '# Task: Discounts\n\n## Design\nAs ever.\n\n## Acceptance Criteria\n- discount(100, 10) == 90\n1. `f(1)` raises ValueError\n\n## Existing Interfaces\n```\nsrc/calc.py: def discount(price, percent)\n```\n## Target Test Path\ntests/unit/test_calc.py\n',
    ],
    [
      'labels',
      'a.md',
      'Task: Discounts\nDesign: As ever.\nAcceptance Criteria:\n* discount(100, 10) == 90\n* `f(1)` raises ValueError\nExisting Interfaces: src/calc.py: def discount(price, percent)\nTarget Test Path: tests/unit/test_calc.py\n',
    ],
  ])('in %s', (_form, file, text) => {
    expect(readTask(bytes(text), file)).toEqual(expected)
  })

  it.each([
    ['no section', 'Hello.\n', /a\.md:1:1 .*no section "task"/],
    [
      'a misspelt section',
      '# Task\nx\n## Acceptance Critera\n- a\n',
      /a\.md:3:1 .*unknown section "Acceptance Critera"/,
    ],
    ['a section twice', '# Task\nx\n# Task\ny\n', /a\.md:3:1 .*there twice/],
    [
      'an empty section',
      '# Task\n\n# Acceptance Criteria\n- a\n# Target Test Path\ntests/unit/test_a.py\n',
      /a\.md:1:1 .*must not be empty/,
    ],
  ])('with %s is an error with its line', (_what, text, said) => {
    expect(() => readTask(bytes(text), 'a.md')).toThrow(said)
  })
})
