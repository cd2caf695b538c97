import { describe } from 'vitest'
import { rowsWithMatches } from '../../rule-tables.js'
import { both, itKeepsRows } from '../../rule-tests.js'

describe('the rule aggregate-filter-to-join on rows with matches', () => {
  const left = (shown: string, on = '', rest = 'GROUP BY t.g'): string =>
    `SELECT ${shown} FROM t LEFT JOIN u ON u.tid = t.id${on} ${rest}`
  const all = (shown: string, join = 'LEFT JOIN', on = ''): string =>
    `SELECT ${shown} FROM t ${join} u ON u.tid = t.id${on}`

  itKeepsRows(rowsWithMatches, [
    // What aggregates ask of each row that matches, asked of the match.
    [
      both,
      left('t.g, count(u.id), sum(u.v)', " AND u.k = 'x'"),
      left("t.g, count(u.id) FILTER (WHERE u.k = 'x'), sum(CASE WHEN u.k = 'x' THEN u.v END)"),
      left('t.g, count(u.id), sum(u.v)', '', "WHERE u.k = 'x' GROUP BY t.g"),
    ],
    [
      both,
      left('t.g, count(u.id)', " AND u.k = 'x'"),
      left("t.g, count(*) FILTER (WHERE u.k = 'x')"),
      left('t.g, count(*)', " AND u.k = 'x'"),
    ],
    [
      both,
      left('t.g, count(u.id)', ' AND u.k IS NULL'),
      left('t.g, count(u.id) FILTER (WHERE u.k IS NULL)'),
      left('t.g, count(*) FILTER (WHERE u.k IS NULL)'),
    ],
    [
      both,
      left('t.g, sum(u.v), max(t.x), count(DISTINCT t.s)', " AND u.k = 'x' AND u.v > 2"),
      left("t.g, sum(CASE WHEN u.v > 2 AND u.k = 'x' THEN u.v END), max(t.x), count(DISTINCT t.s)"),
      left("t.g, sum(CASE WHEN u.v > 2 OR u.k = 'x' THEN u.v END), max(t.x), count(DISTINCT t.s)"),
    ],
    [
      both,
      left('t.g, avg(u.v), count(u.w)', " AND u.k = 'x'"),
      left("t.g, avg(u.v) FILTER (WHERE u.k = 'x'), count(u.w) FILTER (WHERE u.k = 'x')"),
      left("t.g, avg(u.v) FILTER (WHERE u.k = 'x'), count(u.w)"),
    ],
    [
      both,
      left('t.g, count(u.id)', " AND u.k = 'x'", 'GROUP BY t.g HAVING count(u.id) > 0'),
      left(
        "t.g, count(CASE WHEN u.k = 'x' THEN u.id END)",
        '',
        "GROUP BY t.g HAVING count(CASE WHEN u.k = 'x' THEN u.id END) > 0",
      ),
      left("t.g, count(CASE WHEN u.k = 'x' THEN u.id END)", '', 'GROUP BY t.g HAVING count(u.id) > 0'),
    ],
    [
      both,
      left('t.g, sum(u.v)', ' AND u.v > t.x'),
      left('t.g, sum(CASE WHEN u.v > t.x THEN u.v END)'),
      left('t.g, sum(CASE WHEN u.v > t.x THEN u.v ELSE 0 END)'),
    ],
    [
      both,
      'SELECT t.g, sum(u.v), sum(z.q) FROM t LEFT JOIN u ON u.tid = t.id LEFT JOIN z ON z.tid = t.id GROUP BY t.g',
      'SELECT t.g, sum(u.v), sum(z.q) FROM t LEFT JOIN z ON t.id = z.tid LEFT JOIN u ON t.id = u.tid GROUP BY t.g',
      "SELECT t.g, sum(u.v), sum(z.q) FROM t LEFT JOIN u ON u.tid = t.id AND u.k = 'x' LEFT JOIN z ON z.tid = t.id GROUP BY t.g",
    ],
    [
      both,
      "SELECT t.g, sum(u.v), max(z.q) FROM t LEFT JOIN u ON u.tid = t.id AND u.k = 'x' LEFT JOIN z ON z.tid = t.id GROUP BY t.g",
      "SELECT t.g, sum(u.v) FILTER (WHERE u.k = 'x'), max(z.q) FROM t LEFT JOIN u ON u.tid = t.id LEFT JOIN z ON z.tid = t.id GROUP BY t.g",
      "SELECT t.g, sum(u.v) FILTER (WHERE u.k = 'y'), max(z.q) FROM t LEFT JOIN u ON u.tid = t.id LEFT JOIN z ON z.tid = t.id GROUP BY t.g",
    ],
    // One group of all rows, which those without a match add nothing to.
    [both, all('count(u.id), sum(u.v)'), all('count(u.id), sum(u.v)', 'JOIN'), all('count(*), sum(u.v)')],
    [both, all('max(u.v + t.x)'), all('max(u.v + t.x)', 'JOIN'), all('max(coalesce(u.v, 9) + t.x)')],
    [both, all('sum(coalesce(u.v, 1))'), all('sum(coalesce(u.v, 1))'), all('sum(coalesce(u.v, 1))', 'JOIN')],
    [
      both,
      all('coalesce(sum(u.v), 0), count(DISTINCT u.w)', 'LEFT JOIN', " AND u.k = 'x'"),
      all('coalesce(sum(u.v), 0), count(DISTINCT u.w)', 'JOIN', " AND u.k = 'x'"),
      all('coalesce(sum(u.v), 0), count(DISTINCT u.w)', 'JOIN'),
    ],
    [
      both,
      `${all('avg(u.v)')} HAVING count(u.v) > 1`,
      `${all('avg(u.v)', 'JOIN')} HAVING count(u.v) > 1`,
      `${all('avg(u.v)')} HAVING count(*) > 1`,
    ],
    // In groups a row without a match makes one.
    [
      both,
      left('t.g, sum(u.v)'),
      left('t.g, sum(u.v)'),
      'SELECT t.g, sum(u.v) FROM t JOIN u ON u.tid = t.id GROUP BY t.g',
    ],
  ])
})
