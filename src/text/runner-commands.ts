/** Matches what GitHub's runner (`::name::` at the start of a line, `##[` anywhere) and Azure's (`##vso[`) obey in a log. */
const commandStart = /^(\s*):(?=:)/gmu
const inlineCommand = /#(?=#(?:\[|vso\[))/giu

/**
 * Returns a text for a log in which a build runner finds no command: a question, a query or a file name may be written so
 * that it is one. JSON and XML keep their values, other texts get a space between the two characters.
 */
export function withoutRunnerCommands(text: string): string {
  if (/^\s*[{[]/u.test(text)) return text.replaceAll(inlineCommand, String.raw`\u0023`)
  if (text.startsWith('<?xml'))
    return text.replaceAll(inlineCommand, '&#35;').replaceAll(commandStart, '$1&#58;')
  return text.replaceAll(inlineCommand, '# ').replaceAll(commandStart, '$1: ')
}
