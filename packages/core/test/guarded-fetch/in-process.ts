import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** Runs a script in this folder in a separate process, and resolves with the JSON lines that it printed. */
export async function inProcess(script: string, given: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const path = fileURLToPath(new URL(script, import.meta.url))
  const child = spawn(process.execPath, ['--no-warnings', path, ...given], { env: environment, stdio: ['ignore', 'pipe', 'inherit'] })
  return (await text(child.stdout))
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
}
