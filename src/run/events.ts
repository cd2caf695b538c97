import type { AttemptRecord, CaseRecord, RunRecord } from '../store/records.js'

/** What a run tells while it goes on; progress lines, the run database and tests listen. */
export type RunEvent =
  | {
      readonly kind: 'run_started'
      readonly run: RunRecord
      /** What an interrupted run left, of so many: cases, or answers where each case is asked repeatedly. */
      readonly resumed: { readonly known: number; readonly of: number; readonly what: 'cases' | 'answers' }
    }
  | {
      readonly kind: 'case_finished'
      readonly record: CaseRecord
      readonly done: number
      readonly total: number
    }
  /** One of several answers to a case; where each case is asked once, the case is told alone. */
  | { readonly kind: 'answered'; readonly done: number; readonly total: number }
  | { readonly kind: 'repair_started'; readonly cases: number; readonly causes: number }
  | { readonly kind: 'verifying'; readonly title: string; readonly asked: number; readonly total: number }
  | { readonly kind: 'attempt_finished'; readonly attempt: AttemptRecord }
  /** What a run waits for, with a countdown; empty once it goes on. */
  | { readonly kind: 'waiting'; readonly text: string }
  | { readonly kind: 'note'; readonly text: string }

export type RunListener = (event: RunEvent) => void
