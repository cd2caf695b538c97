// Faults of metric files: words, values, defaults, whole files, and entries that no longer count.
import { withoutItem, withoutValue } from '../yaml-text.js'

/** `{class, name, files}`: path → text, or null for a file that is dropped. */
export function* metricFaults(kb, textOf, snippetFault) {
  for (const [position, metric] of kb.metrics.entries()) {
    const text = textOf(metric.path)
    for (const alias of metric.aliases.filter(isShort)) {
      const without = withoutItem(text, alias)
      if (without === undefined) continue
      const name = `${metric.name}: alias "${alias}"`
      yield { class: 16, name: `${name} dropped`, files: { [metric.path]: without } }
      for (const step of [1, 5]) {
        const other = kb.metrics[(position + step) % kb.metrics.length]
        const given = textOf(other.path).replace(/^aliases: \[/m, `aliases: [${alias}, `)
        if (other !== metric && given !== textOf(other.path))
          yield {
            class: 16,
            name: `${name} moved to ${other.name}`,
            files: { [metric.path]: without, [other.path]: given },
          }
      }
    }
    for (const [name, parameter] of metric.parameters) {
      if (parameter.type === 'enum') {
        for (const [code, words] of parameter.values) {
          const without = withoutValue(text, code)
          if (without !== undefined)
            yield {
              class: 20,
              name: `${metric.name}: value ${code} dropped`,
              files: { [metric.path]: without },
            }
          yield* droppedWords(metric, text, words, 'word')
        }
      }
      if (parameter.type === 'choice') {
        for (const [choice, { aliases }] of parameter.values) {
          yield* droppedWords(metric, text, aliases, `${name} ${choice}`)
        }
      }
      if (parameter.type === 'number') {
        yield* droppedWords(metric, text, parameter.words, name)
      }
    }
    yield { class: 20, name: `${metric.name}: file dropped`, files: { [metric.path]: null } }
    yield* changedDefaults(metric, text)
    yield* droppedChoices(metric, text)
    yield { class: 17, name: `${metric.name}: title`, files: { [metric.path]: retitled(text) } }
    yield* deprecated(metric, text, snippetFault(metric))
  }
}

/** An alias that autotest may add: of at most four words. */
function isShort(alias) {
  return alias.split(/\s+/).length <= 4
}

function* droppedWords(metric, text, words, what) {
  for (const word of words) {
    const shorter = withoutItem(text, word)
    if (shorter !== undefined)
      yield {
        class: 20,
        name: `${metric.name}: ${what} "${word}" dropped`,
        files: { [metric.path]: shorter },
      }
  }
}

function* changedDefaults(metric, text) {
  for (const [name, parameter] of metric.parameters) {
    if (parameter.default === undefined) continue
    const others =
      parameter.type === 'number'
        ? [parameter.default * 2]
        : [...parameter.values.keys()].filter((key) => key !== parameter.default)
    for (const other of others.slice(0, 1)) {
      const changed = text.replace(`default: ${parameter.default}`, `default: ${other}`)
      if (changed !== text)
        yield {
          class: 19,
          name: `${metric.name}: default of ${name} is ${other}`,
          files: { [metric.path]: changed },
        }
    }
  }
}

/** A choice on a line of its own, or in a list on one line. */
function* droppedChoices(metric, text) {
  for (const [name, parameter] of metric.parameters) {
    if (parameter.type !== 'choice') continue
    for (const choice of parameter.values.keys()) {
      if (choice === parameter.default) continue
      const without = text.replace(new RegExp(`\\n +${choice}: \\{[^\\n]*\\}`), '')
      if (without !== text)
        yield {
          class: 20,
          name: `${metric.name}: ${name} ${choice} dropped`,
          files: { [metric.path]: without },
        }
    }
  }
}

function retitled(text) {
  return /^title:/m.test(text)
    ? text.replace(/^title:.*$/m, 'title: Something else')
    : `${text}title: Something else\n`
}

/** An old version of the metric, with a snippet that is out of date, has its words. */
function* deprecated(metric, text, fault) {
  const [alias] = metric.aliases.filter(isShort)
  const others = metric.aliases.filter((each) => each !== alias)
  if (fault === undefined || alias === undefined || others.length === 0) return
  const without = withoutItem(text, alias)
  if (without === undefined) return
  const old = text
    .replace(/^metric:.*$/m, `metric: ${metric.name}_v1`)
    .replace(/^aliases:(?: \[.*\]|\n(?: +- .*\n)+)/m, `aliases: [${alias}, old ${metric.name}]\n`)
    .replace(/^snippet:.*$/m, `snippet: ${metric.name}_v1.sql`)
  yield {
    class: 18,
    name: `${metric.name}: v1 has "${alias}"`,
    files: {
      [metric.path]: without,
      [metric.path.replace(/\.yaml$/, '_v1.yaml')]: old,
      [metric.path.replace(/metrics\/.*$/, `snippets/${metric.name}_v1.sql`)]: fault,
    },
  }
}
