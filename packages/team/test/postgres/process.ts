import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { openDatabase } from '../../src/postgres/database.ts'
import { postgresIdempotency } from '../../src/postgres/idempotency-records.ts'
import { postgresLocks } from '../../src/postgres/locks.ts'
import { migrate, storeMigrations } from '../../src/postgres/migrations.ts'
import { openReplica } from '../../src/postgres/replica.ts'

// A replica, run by the tests beside this file, which write commands and read one answer for each. Ends with its input.
const [url = '', schema = '', lifetimeMs = ''] = process.argv.slice(2)
const database = openDatabase({ url, schema })
await migrate(database, storeMigrations)
const replica = await openReplica(database, { lifetimeMs: Number(lifetimeMs) })
const store = postgresIdempotency({ database, replica })
const locks = postgresLocks(database)

const requestOf = (name: string) => {
  const request = { account: 'ada', tool: 'CreateIssue', argumentsHash: name }
  return name.startsWith('key-') ? { ...request, key: name } : request
}

/** Repeats a call with a key while the database fails, until the result is known. */
async function call(name: string): Promise<string> {
  for (;;) {
    try {
      const record = await store.claim(requestOf(name), `${process.pid} ${name}`)
      if (record.kind === 'done') return record.result
      if (record.kind === 'different') throw new RangeError(`${name} has other arguments.`)
      if (record.kind === 'begun') {
        await store.complete(record.id, record.identity)
        return record.identity
      }
    } catch (error) {
      if (!(error instanceof Error && 'problem' in error && ['unreachable', 'locked'].includes(String(error.problem)))) throw error
    }
    await setTimeout(10)
  }
}

const commands: Readonly<Record<string, (names: readonly string[]) => Promise<unknown>>> = {
  begin: ([name = '']) => store.claim(requestOf(name), `${process.pid} ${name}`),
  call: (names) => Promise.all(names.map(call)),
  hold: ([name = '']) =>
    new Promise((resolve) => {
      void locks.withLock(name, () => {
        resolve('held')
        return new Promise(() => undefined)
      })
    }),
}

process.stdout.write('"ready"\n')
for await (const line of createInterface({ input: process.stdin })) {
  const [command = '', ...names] = line.split(' ')
  process.stdout.write(`${JSON.stringify(await commands[command]?.(names))}\n`)
}
