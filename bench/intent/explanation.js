// Asks the rule of the program whether a commit's message explains its change, in a project of one metric: the file's.
import { basename, extname } from 'node:path'
import { explainsChange } from '../../build/modules/domains/sql/repair/validate/intent/change-explanation.js'
import { isByPerson } from '../../build/modules/domains/sql/repair/validate/intent/commit-relevance.js'
import { diffTerms } from '../../build/modules/domains/sql/repair/validate/intent/sql-terms.js'

export function explains({ subject, body, trailers }, { path, before, after }) {
  const name = basename(path, extname(path))
  const snippet = `${name}.sql`
  const metric = {
    id: `metric:${name}`,
    name,
    title: name.replaceAll('_', ' '),
    aliases: [],
    snippet,
    parameters: new Map(),
    path: `kb/metrics/${name}.yaml`,
  }
  const kb = {
    metrics: [metric],
    snippets: new Map([[snippet, { id: snippet, name: snippet, text: after, path }]]),
  }
  const commit = { by: 'commit 0000000', subject, body, trailers, paths: [path] }
  const difference = diffTerms(after, before)
  const file = { path, today: after, planned: before, isQuery: true, difference, metrics: [metric] }
  const { added, removed, conditions } = difference
  return (
    isByPerson(commit) &&
    explainsChange(commit, { terms: [...added, ...removed], conditions, before, others: [] }, file, kb)
  )
}
