// Runs command lines one after the other in one process, each in its folder and environment, as its parent asks.
const { runProgram } = await import(process.argv[2])

process.on('message', async ({ id, cwd, args, env }) => {
  process.chdir(cwd)
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
  let [out, err] = ['', '']
  try {
    const code = await runProgram(args, {
      out: (text) => {
        out += `${text}\n`
      },
      command: (text) => {
        out += `${text}\n`
      },
      err: (text) => {
        err += `${text}\n`
      },
      status: () => undefined,
      ask: async () => undefined,
      interactive: false,
      color: false,
      width: 100,
    })
    process.send({ id, ended: { code, out, err } })
  } catch (error) {
    process.send({ id, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  }
})
process.on('disconnect', () => process.exit())
