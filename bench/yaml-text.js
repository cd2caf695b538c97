/** The text without one item of a list, or undefined where it holds none such. */
export function withoutItem(text, item) {
  const quoted = item.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  for (const pattern of [
    new RegExp(`, ["']?${quoted}["']?(?=[,\\]])`),
    new RegExp(`(?<=\\[)["']?${quoted}["']?(, )?(?=[^\\]]|\\])`),
    new RegExp(`\\n *- ["']?${quoted}["']?(?=\\n)`),
  ]) {
    if (pattern.test(text)) return text.replace(pattern, '')
  }
  return undefined
}

/** The text without one value of an enum and its words. */
export function withoutValue(text, code) {
  for (const pattern of [
    new RegExp(`(?<=[{ ])${code}: \\[[^\\]]*\\](, )?`),
    new RegExp(`\\n +${code}: \\[[^\\]]*\\]`),
  ])
    if (pattern.test(text)) return text.replace(pattern, '')
  return undefined
}
