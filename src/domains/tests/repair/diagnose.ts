import type { Evaluation } from '../../../run/evaluate-case.js'
import { callsOf, type Trace } from '../../../subagent/runner/trace.js'
import type { TestsDiagnosis, TestsTypes } from '../tests-domain-types.js'
import { describeFinding, findingsOfCall, type ToolFinding } from '../tool-findings.js'

/**
 * Finds the tool that is at fault: the first one whose result differs from what the host saw. Where all of them told the
 * truth, the prompt or the model is at fault, which no tool mends.
 */
export function diagnose(evaluation: Evaluation<TestsTypes>): TestsDiagnosis {
  // Written by this program, so its shape is trusted.
  const trace = evaluation.sample.trace as Trace | undefined
  const findings = trace === undefined ? [] : [...trace.context, ...callsOf(trace)].flatMap(findingsOfCall)
  const [first] = findings
  if (first === undefined) return withoutFault(evaluation, trace)
  return {
    evaluation,
    trace,
    label: 'tool_fault',
    subject: `tool ${first.tool}`,
    // What a probe expects was written by people; what the host saw, it saw by itself.
    cause:
      evaluation.testCase.kind === 'tool'
        ? `${evaluation.score.reason} (${first.script})`
        : causeOf(findings, first),
    cluster: first.script,
  }
}

function causeOf(findings: readonly ToolFinding[], first: ToolFinding): string {
  const others = new Set(findings.filter(({ tool }) => tool !== first.tool).map(({ tool }) => tool))
  const more = findings.filter(({ tool }) => tool === first.tool).length - 1
  const fields = more === 0 ? '' : `, and ${more} more of its fields`
  const later = others.size === 0 ? '' : `; later ${[...others].join(', ')} too`
  return `${describeFinding(first)}${fields} (${first.script})${later}`
}

function withoutFault(evaluation: Evaluation<TestsTypes>, trace: Trace | undefined): TestsDiagnosis {
  const { testCase, sample, score } = evaluation
  if (testCase.kind === 'tool') {
    const cause = sample.kind === 'answer' ? score.reason : 'the tool gave no result'
    return {
      ...{ evaluation, trace, cause },
      label: 'tool_fault',
      subject: `tool ${testCase.tool}`,
      cluster: testCase.script,
    }
  }
  const cause =
    trace === undefined
      ? score.reason
      : `${score.reason}; every tool said what the host saw, so that the prompt or the model is at fault`
  return { evaluation, trace, label: 'unknown', subject: testCase.question, cause, cluster: undefined }
}
