import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openProcessLock } from '../src/process-lock.ts'

// Run by process-lock.long.test.ts, which writes one command per line and reads one answer for each. Ends when its input ends.
const [directory = ''] = process.argv.slice(2)
// The same module, loaded a second time as by two bundles in one process.
const copy: unknown = await import(`${import.meta.resolve('../src/process-lock.ts')}?copy`)
const isCopy = (module: unknown): module is { readonly openProcessLock: typeof openProcessLock } =>
  typeof module === 'object' && module !== null && 'openProcessLock' in module && module.openProcessLock !== openProcessLock
if (!isCopy(copy)) throw new Error('The module was not loaded twice.')
const lock = openProcessLock(directory)

const commands: Readonly<Record<string, (ids: readonly string[]) => unknown>> = {
  id: () => lock.id,
  open: ([count]) => Array.from({ length: Number(count) }, () => openProcessLock(directory).id),
  /** Opens and closes locks, and returns how often a lock or its file was missing in between. */
  churn: ([count]) =>
    Array.from({ length: Number(count) }, () => {
      const other = copy.openProcessLock(directory)
      const isThere = existsSync(join(directory, `${other.id}.lock`)) && lock.isAlive(other.id) && other.isAlive(lock.id)
      other.close()
      return isThere && !lock.isAlive(other.id)
    }).filter((isRight) => !isRight).length,
  check: (ids) => ids.map((id) => lock.isAlive(id)),
  exit: () => process.exit(),
}

for await (const line of createInterface({ input: process.stdin })) {
  const [command = '', ...ids] = line.split(' ')
  process.stdout.write(`${JSON.stringify(commands[command]?.(ids))}\n`)
}
