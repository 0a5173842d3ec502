import path from 'node:path'
import { start, type ProgramEnvironment } from '@mcp-toolkits/testing'

const main = path.join(import.meta.dirname, '..', '..', 'src', 'main.ts')

/** The server's command as it runs, and the address that it shows on a line of its own. */
export function startCommand(args: readonly string[], environment: ProgramEnvironment) {
  const running = start([main, ...args], { PATH: process.env['PATH'], ...environment })
  running.end()
  const address = running.line(/^http\S+$/).then((line) => new URL(line))
  // Most commands show none.
  address.catch(() => undefined)
  return { finished: running.finished, address }
}
