import { unprintable } from '../text/unprintable.js'

/** A message is for people; a model may write as much as it is paid for. */
const maxBodyLength = 8000
const maxLineLength = 4000

const skipMarks = /\[(skip ci|ci skip|no ci|skip actions|actions skip)\]/giu
const closingWords =
  /\b(close[sd]?|fix(?:e[sd])?|resolve[sd]?|implement(?:s|ed)?)(\s*:?\s+)(?=(?:[\w.-]+\/[\w.-]+)?[#!]\d|https?:\/\/\S+\/(?:issues|work_items)\/\d)/giu

/**
 * Returns text of users and models for a commit message: no invisible characters, nothing that skips a pipeline or closes an
 * issue when it is pushed, and no more than people read.
 */
export function safeCommitText(text: string): string {
  const lines = text.split(/\r\n|[\r\n\u2028\u2029]/u).map((line) => {
    const plain = line
      .replaceAll(unprintable, ' ')
      .replaceAll(skipMarks, '($1)')
      .replaceAll(/\*\*\*NO_CI\*\*\*/giu, 'NO_CI')
      .replaceAll(/^(\s*)skip-checks(?=\s*:)/giu, '$1skip checks')
      .replaceAll(closingWords, '$1 (see)$2')
    return plain.length > maxLineLength ? `${plain.slice(0, maxLineLength - 1)}…` : plain
  })
  const whole = lines.join('\n')
  return whole.length > maxBodyLength ? `${whole.slice(0, maxBodyLength - 1)}…` : whole
}
