import { createHash } from 'node:crypto'

const begin = (name: string): string => `<!-- autotest: ${name}, `
const end = (name: string): string => `<!-- autotest: end of ${name} -->`

/**
 * Puts a part into a text, between marks: behind what a person wrote, or in place of the part as it was written before. Returns undefined where the part was
 * changed by hand: it stays.
 */
export function mergePart(text: string | undefined, name: string, part: string): string | undefined {
  const marked = `${begin(name)}${fingerprint(part)}. What is changed by hand is kept. -->\n${part}\n${end(name)}`
  if (text === undefined) return `${marked}\n`
  const from = text.indexOf(begin(name))
  if (from < 0) return `${text.trimEnd()}${text.trim() === '' ? '' : '\n\n'}${marked}\n`
  const to = text.indexOf(end(name), from)
  const head = text.indexOf('-->', from)
  if (to < 0 || head < 0 || head > to) return undefined
  const known = /, ([0-9a-f]{12})\. /.exec(text.slice(from, head))?.[1]
  const body = text.slice(head + 3, to).replace(/^\r?\n|\r?\n$/g, '')
  if (fingerprint(body) !== known) return undefined
  return text.slice(0, from) + marked + text.slice(to + end(name).length)
}

function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}
