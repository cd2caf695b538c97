/** Styles that the program itself uses: weight, underline, colours. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to detect
const style = /\u001b\[(?:[0-4]|2[2-4]|3\d|9[0-7])m/

/** What moves the cursor, speaks to the terminal, or changes the direction of writing. Line ends and tabs are none. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to detect
const control = /\r(?!\n)|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

const either = new RegExp(`(?<style>${style.source})|${control.source}`, 'gu')

/** Returns a text in which only style sequences are kept: other control characters are shown as `\x1b` or `\u202e`. */
export function withShownControls(text: string): string {
  return text.replaceAll(either, (found, kept: string | undefined) => {
    if (kept !== undefined) return kept
    const code = found.charCodeAt(0).toString(16)
    return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`
  })
}
