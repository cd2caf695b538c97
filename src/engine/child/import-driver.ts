import { ServerFault } from './server-protocol.js'

/** Loads a driver that users install themselves. Throws `ServerFault` with the command that does. */
export async function importDriver<Driver>(name: string, load: () => Promise<Driver>): Promise<Driver> {
  try {
    return await load()
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new ServerFault(`the driver ${name} is not installed`, {
      hint: `Install it beside autotest: npm install ${name}`,
      cause: error,
    })
  }
}
