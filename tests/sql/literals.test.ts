import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { dialects } from '../../src/enums/dialect.js'
import { AutotestError } from '../../src/errors.js'
import { renderLiteral } from '../../src/sql/literals.js'
import { loadSqlParser, type SqlParser } from '../../src/sql/parser.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

describe('a rendered literal', () => {
  it('types days, as a text where the dialect has no dates', () => {
    expect(renderLiteral({ kind: 'date', text: '2025-11-01' }, 'trino')).toBe("DATE '2025-11-01'")
    expect(renderLiteral({ kind: 'date', text: '2025-11-01' }, 'sqlite')).toBe("'2025-11-01'")
  })

  it('writes numbers bare', () => {
    expect(renderLiteral({ kind: 'number', value: 5 }, 'duckdb')).toBe('5')
    expect(renderLiteral({ kind: 'number', value: -0.25 }, 'duckdb')).toBe('-0.25')
    expect(renderLiteral({ kind: 'number', value: -0 }, 'duckdb')).toBe('0')
  })

  it('doubles quotes, and escapes backslashes where they escape', () => {
    expect(renderLiteral({ kind: 'text', text: "it's \\" }, 'trino')).toBe("'it''s \\'")
    expect(renderLiteral({ kind: 'text', text: "it's \\" }, 'mysql')).toBe("'it''s \\\\'")
    expect(renderLiteral({ kind: 'text', text: "it's \\" }, 'bigquery')).toBe("'it\\'s \\\\'")
  })

  it.each([
    { kind: 'text', text: 'a\0b' },
    { kind: 'number', value: Number.NaN },
    { kind: 'number', value: Number.POSITIVE_INFINITY },
    { kind: 'date', text: '2025-02-30' },
    { kind: 'date', text: "2025-01-01' OR '1'='1" },
    { kind: 'date', text: '+012025-01-01' },
  ] as const)('is refused for $kind $text$value', (value) => {
    expect(() => renderLiteral(value, 'postgres')).toThrow(AutotestError)
  })

  it.each(dialects)('is one string token with the same content in %s, whatever the text', (dialect) => {
    const text = fc.string({
      unit: fc.constantFrom("'", '"', '\\', '`', '-', ';', 'é', '😀', 'n', ' ', '$', '{', '}'),
    })
    fc.assert(
      fc.property(text, (content) => {
        const outcome = parser.tokenize(
          `SELECT ${renderLiteral({ kind: 'text', text: content }, dialect)} , 1`,
          dialect,
        )
        const tokens = outcome.kind === 'tokens' ? outcome.tokens : []
        expect(tokens.map(({ kind }) => kind)).toEqual(['word', 'string', 'symbol', 'number'])
        // The parser takes Redshift's backslashes as they are.
        const read = dialect === 'redshift' ? content.replaceAll('\\', '\\\\') : content
        expect(tokens[1]?.value).toBe(read)
      }),
      { numRuns: 200 },
    )
  })
})
