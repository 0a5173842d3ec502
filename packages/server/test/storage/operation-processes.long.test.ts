import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startChild, startLimitedChild } from '../../../sqlite/test/child.ts'
import { temporaryDirectory } from '../../../sqlite/test/temporary.ts'

const script = join(import.meta.dirname, 'operation-process.ts')

const anyText: unknown = expect.any(String)

const begun = (identity: unknown, isRepeat: boolean): unknown => expect.objectContaining({ kind: 'begun', identity, isRepeat })

/** A member of an answer, as text. */
const member = (answer: unknown, name: string) => String(new Map(Object.entries(answer ?? {})).get(name))

it.each(['hash', 'key-1'])('an operation whose process is killed is continued at once (%s)', async (name) => {
  const file = join(temporaryDirectory(), 'calls.db')
  const [first, second] = [startChild(script, [file]), startChild(script, [file])]
  const identity: unknown = expect.stringMatching(/^\d+ /)
  const record = await first.ask(`begin ${name}`)
  expect(record).toEqual(begun(identity, false))
  expect(await second.ask(`begin ${name}`)).toEqual(name === 'hash' ? begun(identity, false) : { kind: 'running' })
  await first.end('SIGKILL')
  const repeat = await second.ask(`begin ${name}`)
  expect(repeat).toEqual(begun(member(record, 'identity'), true))
})

it('a complete operation stays complete when its process is killed right after', async () => {
  const file = join(temporaryDirectory(), 'calls.db')
  const [first, second] = [startChild(script, [file]), startChild(script, [file])]
  await first.ask(`complete ${member(await first.ask('begin hash'), 'id')}`)
  await first.ask(`complete ${member(await first.ask('begin key-1'), 'id')} result`)
  await first.end('SIGKILL')
  expect(await second.ask('begin hash')).toEqual(begun(anyText, false))
  expect(await second.ask('begin key-1')).toEqual({ kind: 'done', result: 'result' })
})

it('three processes that begin the same 200 keys at once run each exactly once, and all have its result', async () => {
  const directory = temporaryDirectory()
  const effects = join(directory, 'effects')
  writeFileSync(effects, '')
  const start = () => startChild(script, [join(directory, 'calls.db'), effects])
  const [holder, children] = [start(), [start(), start(), start()]]
  // All have opened their store.
  await Promise.all([holder, ...children].map(({ ask }) => ask('find key-0')))
  // A caller of this one waits, however the processes are scheduled.
  const held = await holder.ask('begin key-0')
  const keys = Array.from({ length: 200 }, (_, number) => `key-${number}`)
  const calls = Promise.all(children.map(({ ask }) => ask(`call ${keys.join(' ')}`)))
  const created = () => readFileSync(effects, 'utf8').trim().split('\n')
  await expect.poll(() => created().length).toBe(199)
  await holder.ask(`complete ${member(held, 'id')} held`)
  const [results, ...others] = await calls
  const resultsOf = (answers: unknown) =>
    Array.isArray(answers) ? answers.map((answer: { readonly result: string }) => answer.result) : []
  expect(resultsOf(results).toSorted()).toEqual([...created(), 'held'].toSorted())
  expect(others.map(resultsOf)).toEqual([resultsOf(results), resultsOf(results)])
  expect(JSON.stringify([results, ...others])).toContain('"hasWaited":true')
})

it.runIf(process.platform !== 'win32')('an operation is refused, and what is known can be read, when the disk takes no more', async () => {
  const file = join(temporaryDirectory(), 'calls.db')
  const child = startLimitedChild(script, [file], 400)
  const filled = await child.ask('fill 10000')
  const count = Number(member(filled, 'begun'))
  const message: unknown = expect.stringContaining(file)
  expect(filled).toEqual({ begun: count, error: { name: 'StoreError', message } })
  expect(count).toBeGreaterThan(0)
  expect(await child.ask('find key-0')).toEqual({ kind: 'running' })
  expect(await child.ask(`find key-${count}`)).toBe('unknown')
  const next = startChild(script, [file])
  expect(await next.ask(`find key-${count}`)).toBe('unknown')
  expect(await next.ask(`begin key-${count}`)).toEqual(begun(anyText, false))
})
