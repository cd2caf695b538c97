import { relative } from 'node:path'
import { loadBenchmark, loadCases } from '../../benchmark/load.js'
import { testsCaseKind } from '../../domains/tests/tests-case.js'
import { parseKnowledgeBase } from '../../kb/parse.js'
import { plural } from '../../report/format-text.js'
import { checkKnowledge } from '../project/check-knowledge.js'
import { describeSources } from '../project/knowledge-sources.js'
import { loadKnowledge } from '../project/load-knowledge.js'
import { describeUnread, unreadBenchmark, unreadByAgent } from '../project/unread-files.js'
import { type Check, configurationCheck, note, ok, problem, problemFromError } from './check.js'

const project: Check = {
  name: 'project',
  async run({ cwd, projectLocation }) {
    const found = await projectLocation()
    switch (found.kind) {
      case 'none':
        return note(
          `none found: neither ${cwd} nor a parent folder has an autotest.config.yaml, and there is no benchmarks/`,
          'Go to the folder of your project, or try the sample: autotest demo',
        )
      case 'invalid':
        return problemFromError(found.error)
      case 'project': {
        const { config, root } = found
        const file =
          config.file === undefined ? 'no autotest.config.yaml: defaults' : relative(root, config.file)
        return ok(`${root} (${file})`)
      }
    }
  },
}

const benchmarks = configurationCheck('benchmarks', async (config) => {
  const { benchmarks: paths, root, agent } = config
  const options = { paths, cwd: root }
  const { files, cases } =
    agent.kind === 'subagent' ? await loadCases(options, [testsCaseKind]) : await loadBenchmark(options)
  const counts = `${plural(cases.length, 'case')} in ${plural(files.length, 'file')}`
  const unread = await unreadBenchmark(config)
  return unread === undefined ? ok(counts) : note(`${counts}\n${describeUnread(unread)}`)
})

const knowledge = configurationCheck('knowledge base', async (config) => {
  // What such an agent knows are its tools, which are checked with it.
  if (config.agent.kind === 'subagent') return undefined
  const { snapshot, problems } = await loadKnowledge(config, [config.kb])
  const [unread] = problems
  if (unread !== undefined)
    return problem(`${unread.path}: ${unread.message}`, `Give this user read access to ${config.kb}/.`)
  if (config.sources.length > 0 && config.agent.kind === 'knowledge') {
    const [counts = '', ...parts] = describeSources(snapshot, config)
    return parts.length === 0 ? ok(counts) : note([counts, ...parts].join('\n'))
  }
  // Another agent need not have any.
  const isNeeded = config.agent.kind === 'template' || config.agent.kind === 'llm'
  if (!isNeeded && snapshot.files.size === 0)
    return ok(`${config.kb}/ has no files; agent ${config.agent.kind} may do without`)
  if (isNeeded) await checkKnowledge(snapshot, config, 'Set `kb` in autotest.config.yaml to its folder.')
  const { metrics, broken, snippets, notes, problems: faults } = parseKnowledgeBase(snapshot, config.kb)
  const counts = [
    plural(metrics.length, 'metric'),
    plural(snippets.size, 'snippet'),
    plural(notes.length, 'note'),
  ].join(', ')
  const [first] = broken
    .map((metric) => metric.problem)
    .concat(faults.filter(({ severity }) => severity === 'error'))
  const ignored = await unreadByAgent(config, snapshot)
  if (first === undefined && ignored !== undefined)
    return note(`${config.kb}/: ${counts}\n${describeUnread(ignored)}`)
  if (first === undefined) return ok(`${config.kb}/: ${counts}`)
  return problem(`${first.path}:${first.line}:${first.column}  ${first.message}`, 'autotest kb check')
})

export const projectChecks: readonly Check[] = [project, benchmarks, knowledge]
