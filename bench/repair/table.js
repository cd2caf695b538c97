/** Counts a class: each trial adds to its row. */
export class Table {
  rows = new Map()
  slowest = []
  ratios = []

  add(name, trial) {
    const row = this.rows.get(name) ?? {
      injected: 0,
      E2: 0,
      E1: 0,
      abstained: 0,
      wrong: 0,
      regressions: 0,
      attempts: 0,
      ms: [],
      lines: [],
    }
    this.rows.set(name, row)
    if (!trial.injected) return
    row.injected++
    row[trial.outcome]++
    if (trial.wrong.length > 0) row.wrong++
    row.regressions += trial.regressions.length
    row.attempts += trial.attempts
    row.ms.push(trial.ms)
    if (trial.lines !== undefined) row.lines.push(trial.lines)
  }

  print(title) {
    const columns = ['injected', 'E2', 'E1', 'abstained', 'wrong', 'regressions', 'attempts']
    console.log(
      `\n${title.padEnd(26)}${columns.map((one) => one.padStart(12)).join('')}    repaired     s median  s slowest  lines`,
    )
    for (const [name, row] of this.rows) this.line(name, row, columns)
    const all = { ms: [], lines: [] }
    for (const row of this.rows.values())
      for (const [key, value] of Object.entries(row))
        all[key] = Array.isArray(value) ? [...all[key], ...value] : (all[key] ?? 0) + value
    if (this.rows.size > 1) this.line('all', all, columns)
  }

  line(name, row, columns) {
    const repaired = row.injected === 0 ? '–' : `${((100 * (row.E2 + row.E1)) / row.injected).toFixed(0)}%`
    const seconds = (ms) => (ms === undefined ? '–' : (ms / 1000).toFixed(2))
    const ratio = median(row.lines)
    console.log(
      `${name.padEnd(26)}${columns.map((one) => String(row[one] ?? 0).padStart(12)).join('')}${repaired.padStart(12)}${seconds(median(row.ms)).padStart(13)}${seconds(row.ms.length === 0 ? undefined : Math.max(...row.ms)).padStart(11)}${(ratio === undefined ? '–' : ratio.toFixed(2)).padStart(7)}`,
    )
  }
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]
}
