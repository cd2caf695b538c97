import type { AttemptRecord, CaseRecord, RunDetail, RunRecord } from '../../store/record-types.js'
import type { ExitCode } from '../exit-code.js'
import type { SettlementEvent } from './settlement-events.js'

/** Events of a run in progress; each user interface chooses how to show them. */
export type RunEvent =
  | {
      readonly kind: 'run_started'
      readonly run: RunRecord
      /**
       * Reused results of an interrupted run and their total: cases, or answers where each case is asked
       * repeatedly.
       */
      readonly resumed: { readonly known: number; readonly of: number; readonly what: 'cases' | 'answers' }
    }
  | {
      readonly kind: 'case_finished'
      readonly record: CaseRecord
      readonly done: number
      readonly total: number
    }
  /** One of several answers to a case; not sent if each case is asked once. */
  | { readonly kind: 'answered'; readonly done: number; readonly total: number }
  | { readonly kind: 'repair_started'; readonly cases: number; readonly causes: number }
  | { readonly kind: 'verifying'; readonly title: string; readonly asked: number; readonly total: number }
  | { readonly kind: 'attempt_finished'; readonly attempt: AttemptRecord }
  /** The reason for waiting, with a countdown; empty once the run continues. */
  | { readonly kind: 'waiting'; readonly text: string }
  /** The call to a model that is waited for, each second; empty once none is. */
  | { readonly kind: 'calling'; readonly text: string }
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'warning'; readonly text: string }
  /** Every row is known, but the repairs are not settled yet. */
  | {
      readonly kind: 'results_ready'
      readonly detail: RunDetail
      /** Absolute path of the report for people, which is written once the run is finished. */
      readonly reportFile: string
    }
  | SettlementEvent
  /** The run has ended; its reports are written next. */
  | {
      readonly kind: 'run_finished'
      readonly detail: RunDetail
      readonly exitCode: ExitCode
      /** How to continue if something remains to be done. */
      readonly hint: string | undefined
    }
  /** Absolute paths of all report files. */
  | { readonly kind: 'reports_written'; readonly files: readonly string[] }

export type RunListener = (event: RunEvent) => void
