import { quotedTexts } from './texts.js'

/**
 * Runs texts on an engine with a canary, and returns those whose call the scanner did not name.
 *
 * @param canary of canaries.js
 * @param names `(sql) => boolean`: whether the scanner names the canary, or says that it cannot judge the text
 */
export async function measureQuoting(canary, { seed, count, names }) {
  const found = { texts: 0, ran: 0, named: 0, missed: [] }
  for (const sql of quotedTexts(canary.dialect, seed, count)) {
    found.texts++
    const isNamed = names(sql)
    if (isNamed) found.named++
    if ((await canary.run(sql)) === 0) continue
    found.ran++
    if (!isNamed) found.missed.push(sql)
  }
  return found
}
