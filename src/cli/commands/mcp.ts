import { readFileSync } from 'node:fs'
import { Transform } from 'node:stream'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { createMcpServer } from '../../app/mcp/mcp-server.js'
import { loadConfig } from '../../config/load.js'
import { packageRoot } from '../../platform/built-module.js'
import type { CommandContext } from '../command-context.js'

/** Most bytes of one message; a client that sends more is not answered. */
const messageBytes = 4_000_000

/** Serves the project to agents by the Model Context Protocol, over standard input and output, until the input ends. */
export async function mcpCommand(
  flags: { readonly config?: string | undefined },
  { cwd, env, now, terminal, signal }: CommandContext,
): Promise<number> {
  const { root } = await loadConfig({ cwd, file: flags.config })
  const { version } = JSON.parse(readFileSync(`${packageRoot}package.json`, 'utf8'))
  const server = createMcpServer({ root, version, env, now })
  const input = process.stdin.pipe(withoutLongLines())
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

/** Drops lines beyond the bound, which would otherwise be kept until memory ends. */
function withoutLongLines(): Transform {
  let length = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const kept: Buffer[] = []
      for (let from = 0; from < chunk.length; ) {
        const end = chunk.indexOf(10, from)
        const part = chunk.subarray(from, end < 0 ? chunk.length : end + 1)
        length += part.length
        if (length <= messageBytes || end >= 0) kept.push(length <= messageBytes ? part : Buffer.from('\n'))
        if (end >= 0) length = 0
        from += part.length
      }
      done(null, Buffer.concat(kept))
    },
  })
}
