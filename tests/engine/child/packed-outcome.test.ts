import { deserialize, serialize } from 'node:v8'
import { describe, expect, it } from 'vitest'
import { packOutcome, unpackOutcome } from '../../../src/engine/child/packed-outcome.js'
import type { QueryOutcome, Value } from '../../../src/engine/contract/engine.js'

/** An outcome whose only column repeats these cells until it is large. */
function outcomeOf(cells: readonly Value[], times = 30_000): QueryOutcome {
  const rows = Array.from({ length: times }, (_, at) => [cells[at % cells.length] ?? null])
  return {
    kind: 'rows',
    ms: 1,
    scannedBytes: 7,
    result: { columns: [{ name: 'c', type: 't' }], rows, cut: 'rows' },
  }
}

const sent = (outcome: QueryOutcome): QueryOutcome =>
  unpackOutcome(deserialize(serialize(packOutcome(outcome))))

describe('a large result arrives as it was', () => {
  it.each<[string, readonly Value[]]>([
    ['numbers', [1, -0.5, null, Number.NaN, Number.POSITIVE_INFINITY]],
    ['texts', ['a', '', null, 'ü\n']],
    ['a text with the separator', ['a', 'b\0c']],
    ['decimals', [{ kind: 'decimal', text: '1.20' }, null]],
    ['days', [{ kind: 'date', text: '2024-01-01' }]],
    ['others of one type', [{ kind: 'other', type: 'uuid', text: 'a' }, null]],
    [
      'others of two types',
      [
        { kind: 'other', type: 'uuid', text: 'a' },
        { kind: 'other', type: 'json', text: '1' },
      ],
    ],
    ['mixtures', [1, 'a', true, 9007199254740993n, null]],
    ['nothing', [null]],
  ])('%s', (_, cells) => {
    const outcome = outcomeOf(cells)
    expect(packOutcome(outcome).kind).toBe('packed')
    expect(sent(outcome)).toEqual(outcome)
  })

  it('few cells, and failures, are sent as they are', () => {
    const small = outcomeOf([1], 10)
    expect(packOutcome(small)).toBe(small)
    const failed: QueryOutcome = { kind: 'failed', message: 'no such table' }
    expect(sent(failed)).toEqual(failed)
  })
})
