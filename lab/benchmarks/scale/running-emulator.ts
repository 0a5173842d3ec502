// The built command of an emulator in a process of its own.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { member } from '../../../packages/core/src/base/json.ts'
import type { ScaledEmulator } from './scaled-emulator.ts'

export interface RunningEmulator extends AsyncDisposable {
  readonly url: string
  readonly pid: number
}

/** Starts an emulator on a data directory. */
export async function startEmulator(name: ScaledEmulator['name'], directory: string): Promise<RunningEmulator> {
  const main = path.join(import.meta.dirname, '../../../packages/emulators', name.replace('-emulator', ''), 'dist/main.js')
  const child = spawn(process.execPath, [main, '--data-dir', directory, '--port', '0', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)
  const printed: readonly unknown[] = await Promise.race([once(lines, 'line'), once(child, 'exit')])
  const [line] = printed
  const url = typeof line === 'string' ? member(JSON.parse(line), 'url') : undefined
  if (typeof url !== 'string' || child.pid === undefined) throw new Error(`${name} has not started. Is it built?`)
  return {
    url,
    pid: child.pid,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}
