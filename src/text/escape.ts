import { unprintable } from './unprintable.js'

/** Returns JSON in which no character is invisible, or changes how others are shown; the values are the same. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(unprintable, (run) =>
    [...Array(run.length).keys()]
      .map((at) => {
        const unit = run.charCodeAt(at)
        // Below are the line ends between values: in texts they are escaped already.
        return unit < 0x7f ? run.charAt(at) : String.raw`\u` + unit.toString(16).padStart(4, '0')
      })
      .join(''),
  )
}

/**
 * Returns text for XML 1.0, attributes and content: characters that it cannot contain in any form become U+FFFD (controls,
 * lone surrogates, U+FFFE, U+FFFF), and so do those that are invisible or change how others are shown.
 */
export function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll(unprintable, (run) => run.replaceAll(/[^\t\n\r]/gu, '\ufffd'))
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\r', '&#13;')
}

/** Returns one line of text for Markdown that renders unchanged: no markup, no HTML, no table cell, and nobody notified. */
export function escapeMarkdown(line: string): string {
  return line
    .replace(/[\\`*_{}[\]#|~]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', '&#64;')
}

/** Returns the message of a workflow command of GitHub's runner. */
export function escapeAnnotation(text: string): string {
  const plain = text.replaceAll(unprintable, (run) => (run.includes('\n') ? '\n' : ' '))
  return plain.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

/** Returns the value of a property of a workflow command. */
export function escapeAnnotationProperty(text: string): string {
  return escapeAnnotation(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
