import { spawn } from 'node:child_process'
import path from 'node:path'
import { onTestFinished } from 'vitest'

const main = path.join(import.meta.dirname, '..', '..', 'src', 'main.ts')

export interface Finished {
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

/** The server's command as it runs; it is killed after the test if it still lives. What is undefined in the environment is not set. */
export function startCommand(args: readonly string[], environment: Readonly<Record<string, string | undefined>>) {
  const child = spawn(process.execPath, [main, ...args], { env: { PATH: process.env['PATH'], ...environment } })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin.end()
  const said = { output: '', errors: '' }
  const { promise: finished, resolve } = Promise.withResolvers<Finished>()
  const { promise: address, resolve: found, reject: missing } = Promise.withResolvers<URL>()
  address.catch(() => undefined)
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    said.output += part
    const shown = /^(http\S+)\n/m.exec(said.output)?.[1]
    if (shown !== undefined) found(new URL(shown))
  })
  child.stderr.setEncoding('utf8').on('data', (part: string) => (said.errors += part))
  child.once('close', (code) => {
    resolve({ code, ...said })
    missing(new Error(`It ended without an address: ${said.output}${said.errors}`))
  })
  return { finished, /** The address that it shows on a line of its own. */ address }
}
