import { describe } from 'vitest'
import { duplicatesAndNulls } from '../../rule-tables.js'
import { itKeepsRowsOfDuckdb } from '../../rule-tests.js'

describe('the rule same-operands on duplicates and NULLs', () => {
  itKeepsRowsOfDuckdb(duplicatesAndNulls, [
    [
      'one operand twice in a UNION',
      'SELECT a FROM t UNION SELECT x FROM u UNION SELECT a FROM t',
      'SELECT x FROM u UNION SELECT a FROM t',
      'SELECT x FROM u UNION SELECT b FROM t',
    ],
    [
      'a UNION of one query with itself',
      'SELECT a, b FROM t UNION SELECT a, b FROM t',
      'SELECT DISTINCT a, b FROM t',
      'SELECT a, b FROM t',
    ],
    [
      'columns of an operand in another order',
      'SELECT a, b FROM t UNION SELECT a, b FROM t',
      'SELECT DISTINCT b, a FROM t',
      'SELECT a, b FROM t UNION SELECT b, a FROM t',
    ],
  ])
})
