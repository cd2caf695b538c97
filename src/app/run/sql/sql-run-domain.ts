import { sqlCaseRecorder } from '../../../domains/sql/case-recorder.js'
import type { MissingKnowledge } from '../../../domains/sql/evaluator.js'
import type { SqlTypes } from '../../../domains/sql/sql-domain-types.js'
import type { NotCheckedOut } from '../../../git/not-checked-out.js'
import type { EvaluationConditions } from '../../../run/case-records.js'
import { composeComponents, type RunComponents } from '../../compose.js'
import { checkKnowledge } from '../../project/check-knowledge.js'
import { absentBelow, missingKnowledge, notCheckedOut } from '../../project/checkout.js'
import { knowledgeProblems, unusableFiles } from '../../project/knowledge-problems.js'
import { describeSources } from '../../project/knowledge-sources.js'
import type { SqlProject } from '../../project/project.js'
import { describeUnread, unreadBenchmark, unreadByAgent } from '../../project/unread-files.js'
import type { RunDomain, RunParts } from '../run-state.js'
import { labelRenamedNames } from './renamed-names-step.js'
import { repairSqlCases } from './repair-sql-step.js'

/** Runs text-to-SQL cases. */
export function sqlRunDomain(project: SqlProject): RunDomain {
  const { config, benchmark } = project
  let missing: MissingKnowledge | undefined
  let absent: readonly NotCheckedOut[] = []
  return {
    project,
    repairerExample: async () =>
      (await import('../../../domains/sql/repair/propose/llm/prompt-variables.js')).repairerExample,
    async checkKnowledge({ snapshot, problems }, note) {
      missing = await missingKnowledge(
        config,
        problems.filter(({ path, isPointer }) => isPointer && path.startsWith(`${config.kb}/`)),
      )
      absent = absentBelow(await notCheckedOut(config), config.root, [config.kb])
      for (const text of knowledgeProblems(snapshot, config.kb, problems, absent)) note(text)
      for (const text of describeSources(snapshot, config)) note(text)
      if (config.agent.kind === 'template' && problems.length === 0)
        await checkKnowledge(
          snapshot,
          config,
          'The template agent needs it: set `kb` in autotest.config.yaml (or --kb) to its folder, or choose another agent.',
        )
      for (const unread of [await unreadByAgent(config, snapshot), await unreadBenchmark(config)])
        if (unread !== undefined) note(describeUnread(unread))
      if (config.engine === undefined)
        note(
          'no engine is configured: queries are compared by structure only (set `engine`, or give --engine)',
        )
    },
    // Only the template agent reads the knowledge as this program does.
    unusable: (snapshot, unread) =>
      config.agent.kind === 'template' ? unusableFiles(snapshot, config.kb, unread, absent) : unread,
    async open({ today, onProgress, llm }) {
      return runParts(
        await composeComponents({ config, today, onProgress, llm, missing, benchmark }),
        project,
      )
    },
  }
}

function runParts(parts: RunComponents, project: SqlProject): RunParts<SqlTypes> {
  return {
    evaluator: parts.evaluator,
    recorder: sqlCaseRecorder,
    conditions: evaluationConditions(parts, project),
    labelBaseline: (started, baseline) => labelRenamedNames(started, parts, project, baseline),
    repair: (started, baseline, failing, recorded) =>
      repairSqlCases({ started, parts, project, baseline: baseline.cases }, failing, recorded),
    engineUses: () => parts.engineUses(),
    close: () => parts.close(),
  }
}

/** Returns the conditions that an earlier answer depends on besides its case. */
function evaluationConditions(parts: RunComponents, { config }: SqlProject): EvaluationConditions {
  return {
    engine: parts.engine?.url ?? 'none',
    dialect: parts.evaluator.agentDialect,
    asOf: config.asOf ?? '',
    policy: config.scoring.policy,
    tolerance: config.scoring.tolerance,
    fuzz: config.scoring.fuzz,
    seed: config.scoring.seed,
    agent: parts.agent.name,
  }
}
