/**
 * Matches control characters, line separators, marks that change the direction of writing, tags, and characters that show
 * nothing: with them a text may look like another one.
 */
export const unprintable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  /(?:[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]|\u034f|[\u17b4\u17b5])+/gu
