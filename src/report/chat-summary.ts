import type { RunDetail } from '../store/record-types.js'
import { describeCause, formatDuration, isPlan, oneLine } from './format-text.js'
import { needsPerson, summarize } from './summary.js'

const maxLines = 10
const maxLength = 160

/** Renders a run as a short message for a chat: Slack's markup, which Teams and Mattermost read as well. */
export function chatSummary(detail: RunDetail): string {
  const { run, cases, attempts } = detail
  const { total, passed, repaired, pending, ms, flaky, skipped } = summarize(detail)
  const kept = attempts.filter(({ outcome }) => outcome === 'accepted')
  const wrong = cases.filter(needsPerson)
  const right = passed + repaired
  const parts = [
    `${right} of ${total} right`,
    ...(repaired === 0 ? [] : [`${repaired} repaired`]),
    ...(pending === 0 ? [] : [`${pending} with a repair to apply`]),
    ...(wrong.length === 0 ? [] : [`${wrong.length} wrong`]),
    ...(flaky === 0 ? [] : [`${flaky} flaky`]),
    ...(skipped === 0 ? [] : [`${skipped} not run`]),
    formatDuration(ms),
  ]
  const sign =
    run.status === 'finished' && right === total
      ? ':white_check_mark:'
      : wrong.length === 0
        ? ':wrench:'
        : ':x:'
  return [
    `${sign} *autotest ${run.id}* ${parts.join(' · ')}`,
    ...(run.failure === undefined ? [] : [`The run ended early: ${plain(run.failure)}`]),
    ...listed(
      wrong,
      ({ caseId, ...record }) => `• \`${plain(caseId)}\` ${plain(describeCause({ caseId, ...record }))}`,
    ),
    ...listed(
      kept,
      ({ title, grade }) =>
        `• ${isPlan(run) ? 'planned' : 'repaired'}: ${plain(title)}${grade === undefined ? '' : ` (${grade})`}`,
    ),
    ...(isPlan(run) && kept.length > 0 ? [`Apply with \`autotest apply ${run.id}\``] : []),
  ].join('\n')
}

function listed<Item>(items: readonly Item[], line: (item: Item) => string): string[] {
  const left = items.length - maxLines
  return [...items.slice(0, maxLines).map(line), ...(left > 0 ? [`… and ${left} more`] : [])]
}

/** Returns text that a chat shows as it is: no markup, no link, and nobody notified. */
function plain(text: string): string {
  const line = oneLine(text)
  const short = line.length > maxLength ? `${line.slice(0, maxLength)}…` : line
  // Slack reads these three signs as markup of links and mentions (docs.slack.dev/messaging/formatting-message-text).
  return short
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('`', "'")
    .replaceAll('@', '@\u2060')
}
