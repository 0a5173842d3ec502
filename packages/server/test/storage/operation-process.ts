import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { systemClock } from '@mcp-toolkits/core/base'
import type { OperationRequest } from '@mcp-toolkits/core/tool'
import { openIdempotencyStore } from '../../src/storage/idempotency-store.ts'

// Run by operation-processes.long.test.ts, which writes commands and reads one answer for each. Ends with its input.
const [file = '', effects = ''] = process.argv.slice(2)
const store = await openIdempotencyStore({ file, clock: systemClock })

const requestOf = (name: string): OperationRequest => {
  const request = { account: 'ada', tool: 'CreateIssue', argumentsHash: name }
  return name.startsWith('key-') ? { ...request, key: name } : request
}

const begin = (name: string) => store.claim(requestOf(name), `${process.pid} ${name}`)

/** Makes a call with a key: it creates something, waits for the call that does, or returns the thing that was created. */
async function call(name: string): Promise<{ readonly result: string; readonly hasWaited: boolean }> {
  for (let hasWaited = false; ; hasWaited = true) {
    const record = await begin(name)
    if (record.kind === 'different') throw new Error(`${name} has other arguments.`)
    if (record.kind === 'done') return { result: record.result, hasWaited }
    if (record.kind === 'begun') {
      appendFileSync(effects, `${record.identity}\n`)
      await setTimeout(5)
      await store.complete(record.id, record.identity)
      return { result: record.identity, hasWaited }
    }
    await setTimeout(10)
  }
}

const commands: Readonly<Record<string, (names: readonly string[]) => Promise<unknown>>> = {
  begin: async ([name = '']) => begin(name),
  complete: async ([id = '', ...rest]) => {
    await store.complete(id, ...rest)
    return 'completed'
  },
  call: (names) => Promise.all(names.map(call)),
  /** Begins this many operations, and returns the number that succeeded before one failed, with the error. */
  fill: async ([count = '']) => {
    for (let number = 0; number < Number(count); number += 1) {
      try {
        await begin(`key-${number}`)
      } catch (error) {
        return { begun: number, error: error instanceof Error && { name: error.name, message: error.message } }
      }
    }
    return { begun: Number(count) }
  },
  find: async ([key = '']) => (await store.find({ ...requestOf(key), key })) ?? 'unknown',
}

for await (const line of createInterface({ input: process.stdin })) {
  const [command = '', ...names] = line.split(' ')
  process.stdout.write(`${JSON.stringify(await commands[command]?.(names))}\n`)
}
