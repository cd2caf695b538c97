import { quoteShellArgument } from '../text/shell-argument.js'

/** A small file in place of a large one, whose content is kept outside of git. */
export interface PointerFile {
  /** As a clause after the path. */
  readonly message: string
  /** The shell command that brings the content. */
  readonly command: string
}

/** Longer than any pointer: their formats limit them. */
export const longestPointer = 1024

/**
 * Returns what stands in for the content of a file: the pointer of Git LFS or git-annex; undefined for any other file.
 *
 * @param start the first bytes of the file
 */
export function pointerFile(start: Uint8Array, path: string): PointerFile | undefined {
  const text = new TextDecoder('latin1').decode(start.subarray(0, longestPointer))
  const at = quoteShellArgument(path)
  if (/^version https:\/\/(?:git-lfs\.github\.com|hawser\.github\.com)\/spec\/v\d+\r?\n/u.test(text))
    return {
      message: 'is a Git LFS pointer: its content is not checked out',
      command: `git lfs pull --include=${at}`,
    }
  if (/^\/annex\/objects\/\S+\n?$/u.test(text))
    return {
      message: 'is a git-annex pointer: its content is not checked out',
      command: `git annex get ${at}`,
    }
  return undefined
}
