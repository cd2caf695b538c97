import { type AuditReport, addCounts, type FindingKind, findingKinds, noMutants } from '../audit/finding.js'
import { jsonText } from '../text/escape.js'

/** The subject of an audit, and its duration. */
export interface AuditHeader {
  /** As configured; `none` if every case specifies its own. */
  readonly engine: string
  /** Hash of the knowledge base. */
  readonly knowledge: string
  /** Number of copies of the database that mutants were run on. */
  readonly copies: number
  /** Number of findings and mutants that a file of the project says to ignore. */
  readonly ignored: number
  /** Milliseconds. */
  readonly ms: number
}

/** Renders the audit for programs, as text. */
export function auditJson(report: AuditReport, head: AuditHeader): string {
  const { cases, findings } = report
  const counts = findingKinds.map((kind): [FindingKind, number] => [
    kind,
    findings.filter((finding) => finding.kind === kind).length,
  ])
  const audit = {
    audit: { ...head, ms: Math.round(head.ms) },
    summary: {
      cases: cases.length,
      mutants: cases.map(({ mutants }) => mutants).reduce(addCounts, noMutants),
      findings: Object.fromEntries(counts.filter(([, count]) => count > 0)),
    },
    findings,
    cases,
  }
  return `${jsonText(audit, 2)}\n`
}
