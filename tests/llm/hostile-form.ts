/** The listed replies name edits in another form: the same edit in ours. */
export function inOurForm(reply: string | null): string | null {
  return (
    reply
      ?.replaceAll('<REPEAT 5000x>', 'A'.repeat(3_000_000))
      .replaceAll('"op":"replace","find":', '"kind":"edit_note","search":')
      .replaceAll(/"op":"write","content":("(?:[^"\\]|\\.)*")/g, '"kind":"create_snippet","text":$1')
      .replaceAll('kb/ok.yml', 'kb/notes/ok.md')
      .replaceAll('"edits":', '"diagnosis":"d","reasoning":"r","edits":') ?? null
  )
}
