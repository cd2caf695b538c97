/**
 * Matches what runners obey in a log: GitHub's `::name::` at the start of a line (behind what .NET takes for a space), `##[`
 * anywhere, as Azure's `##vso[` and TeamCity's `##teamcity[`, and the sections of GitLab.
 */
const commandStart = /^([\s\u0085]*):(?=:)/gmu
const inlineCommand = /#(?=#\w*\[)/gu
const section = /(?<=section_(?:start|end)):(?=\d)/gu

/**
 * Returns a text for a log in which a build runner finds no command: a question, a query or a file name may be written so
 * that it is one. JSON and XML keep their values, other texts get a space between the two characters.
 */
export function withoutRunnerCommands(text: string): string {
  if (/^\s*[{[]/u.test(text))
    return text.replaceAll(inlineCommand, String.raw`\u0023`).replaceAll(section, String.raw`\u003a`)
  if (text.startsWith('<?xml'))
    return text
      .replaceAll(inlineCommand, '&#35;')
      .replaceAll(section, '&#58;')
      .replaceAll(commandStart, '$1&#58;')
  return text.replaceAll(inlineCommand, '# ').replaceAll(section, ': ').replaceAll(commandStart, '$1: ')
}
