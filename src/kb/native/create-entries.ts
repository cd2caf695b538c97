import type { CreateEdit, YamlValue } from '../../edit/edit-types.js'
import { renderPair } from '../../edit/yaml-render.js'
import { parameterValue } from '../entry-slots.js'
import type { EntryCreation, NewMetric, NewQuery } from '../knowledge-adapter.js'

/** Creates a metric as a YAML file, and its query as an SQL file below another folder. */
export const nativeCreation: EntryCreation = {
  queryPath: (name, folder) => `${folder}/snippets/${name}`,
  queryName: (metric) => `${metric}.sql`,
  metricNameOf: (query) =>
    query
      .replace(/\.sql$/, '')
      .split('/')
      .pop() ?? '',
  isFree: (name, withQuery, { files }, folder) =>
    !files.has(metricPath(name, folder)) &&
    !(withQuery && files.has(nativeCreation.queryPath(nativeCreation.queryName(name), folder))),
  create: ({ query, metric }, _, folder) => [
    ...(query === undefined ? [] : [newQuery(query, folder)]),
    ...(metric === undefined ? [] : [newMetric(metric, folder)]),
  ],
  file(path, text, folder) {
    const kind = kindOf(path, folder)
    return kind && { kind, path, text }
  },
}

function newQuery({ name, text }: NewQuery, folder: string): CreateEdit {
  return { kind: 'create_snippet', path: nativeCreation.queryPath(name, folder), text }
}

function newMetric(draft: NewMetric, folder: string): CreateEdit {
  return { kind: 'create_metric', path: metricPath(draft.name, folder), text: metricText(draft) }
}

function metricPath(name: string, folder: string): string {
  return `${folder}/metrics/${name}.yaml`
}

function kindOf(path: string, folder: string): CreateEdit['kind'] | undefined {
  if (path.startsWith(`${folder}/snippets/`) && path.endsWith('.sql')) return 'create_snippet'
  return path.startsWith(`${folder}/metrics/`) && /\.ya?ml$/u.test(path) ? 'create_metric' : undefined
}

function metricText({ name, title, aliases, query, parameters }: NewMetric): string {
  const style = { padded: true, quoting: 'plain' } as const
  const head: [string, YamlValue][] = [
    ['metric', name],
    ['title', title],
    ['aliases', aliases],
    ['snippet', query],
  ]
  const declared = [...parameters].map(([key, value]) => `  ${renderPair(key, parameterValue(value), style)}`)
  const lines = [
    ...head.map(([key, value]) => renderPair(key, value, style)),
    ...(declared.length === 0 ? [] : ['parameters:', ...declared]),
  ]
  return `${lines.join('\n')}\n`
}
