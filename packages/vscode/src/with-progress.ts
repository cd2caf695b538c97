import * as vscode from 'vscode'
import { isCancelled } from './server/describe-error.js'

/** What a request is given to tell of its progress, and to be cancelled. */
export interface ProgressCall {
  readonly token: vscode.CancellationToken
  readonly onProgress: (text: string) => void
}

/** Does work with a notification that tells of it and can cancel it; undefined where it was cancelled. */
export async function withProgress<Result>(
  title: string,
  work: (call: ProgressCall) => Promise<Result>,
): Promise<Result | undefined> {
  const location = vscode.ProgressLocation.Notification
  return vscode.window.withProgress({ location, title, cancellable: true }, async (progress, token) => {
    try {
      return await work({ token, onProgress: (message) => progress.report({ message }) })
    } catch (error) {
      if (token.isCancellationRequested || isCancelled(error)) return undefined
      throw error
    }
  })
}
