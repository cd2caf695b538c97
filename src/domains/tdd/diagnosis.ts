import type { CandidateFix } from '../../testgen/python/worker-results.js'

export type Confidence = 'high' | 'medium' | 'low'

/** Why a test fails, and how to mend it. */
export interface Diagnosis {
  readonly rootCause: string
  readonly location: {
    readonly file: string
    readonly function: string
    readonly line: number
  }
  /** Step by step, from the failing assertion backward. */
  readonly analysis: readonly string[]
  readonly expected: string
  readonly actual: string
  readonly recommendedFix: string
  readonly confidence: Confidence
  readonly rationale: string
  /** Other causes of other failures, those that more tests fail by first. */
  readonly others: readonly Pick<Diagnosis, 'rootCause' | 'location' | 'recommendedFix'>[]
  /** Changes with which all tests pass, the likeliest first; none where a person or a model said what to do in words. */
  readonly fixes: readonly CandidateFix[]
}

/** Returns the structured completion of the debugger. */
export function completionOf(diagnosis: Diagnosis): Readonly<Record<string, unknown>> {
  return {
    status: 'complete',
    subagent: 'debugger',
    diagnosis: {
      root_cause: diagnosis.rootCause,
      failing_location: diagnosis.location,
      analysis: diagnosis.analysis,
      expected_vs_actual: { expected: diagnosis.expected, actual: diagnosis.actual },
      recommended_fix: diagnosis.recommendedFix,
      confidence: diagnosis.confidence,
      ...(diagnosis.others.length === 0
        ? {}
        : {
            other_causes: diagnosis.others.map(({ rootCause, location, recommendedFix }) => ({
              root_cause: rootCause,
              failing_location: location,
              recommended_fix: recommendedFix,
            })),
          }),
    },
    handoff: 'Diagnosis complete. Recommended fix provided for coder.',
  }
}

/** Renders a diagnosis as people read it. */
export function diagnosticReport(diagnosis: Diagnosis): string {
  const { location, analysis, others, confidence, rationale } = diagnosis
  return [
    '## Diagnostic Report',
    '',
    '### Root Cause',
    diagnosis.rootCause,
    '',
    '### Failing Location',
    `- File: ${location.file}`,
    `- Function: ${location.function}`,
    `- Line: ${location.line}`,
    '',
    '### Analysis',
    ...analysis.map((step, at) => `${at + 1}. ${step}`),
    '',
    '### Expected vs Actual',
    `- Expected: ${diagnosis.expected}`,
    `- Actual: ${diagnosis.actual}`,
    '',
    '### Recommended Fix',
    diagnosis.recommendedFix,
    '',
    '### Confidence',
    `${confidence} - ${rationale}`,
    ...(others.length === 0 ? [] : ['', '### Other Causes, by Impact']),
    ...others.map(
      ({ rootCause, location: { file, line }, recommendedFix }) =>
        `- ${file}:${line}: ${rootCause} ${recommendedFix}`,
    ),
    '',
  ].join('\n')
}
