import { readFileSync } from 'node:fs'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { messageLines } from '../../app/mcp/mcp-lines.js'
import { createMcpServer } from '../../app/mcp/mcp-server.js'
import { loadConfig } from '../../config/load.js'
import { packageRoot } from '../../platform/built-module.js'
import type { CommandContext } from '../command-context.js'

/** Serves the project to agents by the Model Context Protocol, over standard input and output, until the input ends. */
export async function mcpCommand(
  flags: { readonly config?: string | undefined },
  { cwd, env, now, terminal, signal }: CommandContext,
): Promise<number> {
  const { root } = await loadConfig({ cwd, file: flags.config })
  const { version } = JSON.parse(readFileSync(`${packageRoot}package.json`, 'utf8'))
  const server = createMcpServer({ root, version, env, now })
  const input = process.stdin.pipe(
    messageLines((answer) => process.stdout.write(`${JSON.stringify(answer)}\n`)),
  )
  const transport = new StdioServerTransport(input, process.stdout)
  server.server.onerror = (error) =>
    terminal.err(`mcp: ${error.message.replaceAll(/\s+/g, ' ').slice(0, 200)}`)
  await server.connect(transport)
  await new Promise<void>((resolve) => {
    input.once('end', resolve)
    input.once('close', resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  await server.close()
  return 0
}
