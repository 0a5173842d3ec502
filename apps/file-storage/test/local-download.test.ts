import { createHash } from 'node:crypto'
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { canonicalSpelling, Conflict, Forbidden, type ToolError, Unavailable } from '@mcp-toolkits/core/errors'
import { ManualClock } from '@mcp-toolkits/core/testing'
import type { CallResult } from '@mcp-toolkits/core/tool'
import { expect, onTestFinished, test } from 'vitest'
import type { ListedTool } from '@mcp-toolkits/server'
import { listing } from '@mcp-toolkits/server/mcp'
import { toAnswer, toFailure, type Answer } from '../../../packages/server/src/mcp/answers/answer.ts'
import { download } from '../src/local-download.ts'
import { fileStorage } from '../src/server.ts'

const whole = Buffer.from('the whole content, in three parts')
const partLength = 12

const toolOf = (name: string) => {
  const tool = fileStorage.listedTools.find((each) => each.name === name)
  if (!tool) throw new Error(`There is no ${name}.`)
  return tool
}
const getFile = toolOf('DownloadFile')
const getPart = toolOf('DownloadFileChunk')

/** A file that is downloaded in parts, and the errors of the next calls; undefined for a call that succeeds. */
interface Shelf {
  readonly errors: (ToolError | undefined)[]
  content: Buffer
  md5: string
  readonly small: boolean
  readonly tool: ListedTool
  readonly tools: readonly string[]
  readonly onPart: () => void
  /** The name of the file. */
  readonly name: string
}

function handedOut(tool: ListedTool, args: unknown, { content, md5, small }: Shelf): CallResult {
  const of = (bytes: Buffer) => ({ uri: 'shelf:///file', mimeType: 'text/plain', bytes })
  if (tool === getFile) {
    const data = { file: { id: 'f' }, total_size: content.length, md5_checksum: md5, requires_chunked_download: !small }
    return { data, isWrite: false, ...(small && { content: of(content) }) }
  }
  const { start_byte: start } = Object.assign({ start_byte: 0 }, args)
  const end = start + partLength
  return {
    data: { file_id: 'f', next_start_byte: end < content.length ? end : null },
    isWrite: false,
    content: of(content.subarray(start, end)),
  }
}

/** Downloads from a shelf into a new directory. */
function saving(given: Partial<Shelf> = {}) {
  const directory = mkdtempSync(path.join(tmpdir(), 'saving-'))
  onTestFinished(() => {
    rmSync(directory, { recursive: true, force: true })
  })
  const content = given.content ?? whole
  const md5 = createHash('md5').update(content).digest('hex')
  const shelf: Shelf = {
    errors: [],
    content,
    md5,
    small: false,
    tool: getFile,
    tools: ['DownloadFile', 'DownloadFileChunk'],
    onPart: () => undefined,
    name: 'out',
    ...given,
  }
  const shown = listing(fileStorage, { readOnly: false, toolNames: 'safe', tools: shelf.tools })
  const file = `${directory}${path.sep}${shelf.name}`
  const interrupt = new AbortController()
  const asked: string[] = []
  const clock = new ManualClock()
  const call = (tool: ListedTool, args: unknown): Promise<Answer> => {
    interrupt.signal.throwIfAborted()
    asked.push(tool.name)
    const error = shelf.errors.shift()
    if (error) return Promise.resolve(toFailure(error, { ...canonicalSpelling, tool: shown.spell }))
    if (tool === getPart) shelf.onPart()
    return Promise.resolve(toAnswer(handedOut(tool, args, shelf), false))
  }
  const progress: (readonly [number, number | undefined])[] = []
  const server = { call, find: shown.find, progress: (done: number, total?: number) => void progress.push([done, total]) }
  return {
    file,
    directory,
    shelf,
    asked,
    waits: clock.sleeps,
    interrupt,
    progress,
    left: () => readdirSync(directory),
    run: () => download({ server, tool: shelf.tool, args: { start_byte: 0 }, file, signal: interrupt.signal, clock }),
  }
}

test('writes content that comes in parts to one file, and returns its path', async () => {
  const { run, file, left, progress } = saving()
  expect(await run()).toMatchObject({ ok: true, data: { total_size: whole.length, saved_to: file } })
  // Only the file's owner can read it; Windows has no such modes.
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(left()).toEqual(['out'])
  expect(readFileSync(file).equals(whole)).toBe(true)
  expect(progress).toEqual([
    [12, 33],
    [24, 33],
    [33, 33],
  ])
})

test('writes content that arrives at once, empty content and a single part', async () => {
  const cases = [
    [{ small: true }, whole],
    [{ small: true, content: Buffer.alloc(0) }, Buffer.alloc(0)],
    [{ tool: getPart }, whole.subarray(0, partLength)],
  ] as const
  for (const [given, expected] of cases) {
    const { run, file } = saving(given)
    expect(await run()).toMatchObject({ ok: true })
    expect(readFileSync(file).equals(expected)).toBe(true)
  }
})

test('retries parts that fail temporarily', async () => {
  const broken = new Unavailable('It broke.')
  const { run, file, waits } = saving({ errors: [broken, undefined, broken, broken, undefined, broken] })
  expect(await run()).toMatchObject({ ok: true })
  expect(waits.map((ms) => ms < 2 * 1000)).toEqual([true, true, true, true])
  expect(readFileSync(file).equals(whole)).toBe(true)
})

test('waits as long as the vendor asks, unless that is too long', async () => {
  const wait = (retryAfterSeconds: number) => new Unavailable('Later.', { retryAfterSeconds })
  const kept = saving({ errors: [wait(30), undefined, wait(60)] })
  expect(await kept.run()).toMatchObject({ ok: true })
  expect(kept.waits).toEqual([30_000, 60_000])
  const long = saving({ errors: [wait(61)] })
  expect(await long.run()).toMatchObject({ ok: false, error: { code: 'unavailable' } })
  expect([long.waits, long.asked]).toEqual([[], ['DownloadFile']])
})

test('leaves nothing of longer content when the content becomes shorter', async () => {
  const shorter = Buffer.from('short')
  const { run, file, shelf } = saving({
    errors: [undefined, undefined, undefined, new Conflict('It changed.')],
    onPart: () => {
      if (shelf.errors.length > 1) return
      shelf.content = shorter
      shelf.md5 = createHash('md5').update(shorter).digest('hex')
    },
  })
  expect(await run()).toMatchObject({ ok: true })
  expect(readFileSync(file, 'utf8')).toBe('short')
})

test('starts again when the content changes', async () => {
  const { run, file } = saving({ errors: [undefined, undefined, new Conflict('It changed.')] })
  expect(await run()).toMatchObject({ ok: true })
  expect(readFileSync(file).equals(whole)).toBe(true)
})

test.for([
  ['an error that stays', { errors: [undefined, undefined, new Forbidden('No.')] }, 'forbidden'],
  ['an error that comes too often', { errors: Array.from({ length: 9 }, () => new Unavailable('It broke.')) }, 'unavailable'],
  ['a wrong md5', { md5: 'f'.repeat(32) }, 'conflict'],
] as const)('%s leaves nothing behind', async ([, given, code]) => {
  const { run, left } = saving({ ...given, errors: 'errors' in given ? [...given.errors] : [] })
  expect(await run()).toMatchObject({ ok: false, error: { code } })
  expect(left()).toEqual([])
})

test('never overwrites a file, whenever it appears', async () => {
  const early = saving()
  writeFileSync(early.file, 'mine')
  const late = saving({
    onPart: () => {
      writeFileSync(late.file, 'mine')
    },
  })
  for (const { run, file, left } of [early, late]) {
    await expect(run()).rejects.toThrow('nothing is overwritten')
    expect(readFileSync(file, 'utf8')).toBe('mine')
    expect(left()).toEqual(['out'])
  }
  expect(early.asked).toEqual([])
})

test.skipIf(process.platform === 'win32')('a dangling link counts as existing, whenever it appears', async () => {
  const early = saving()
  symlinkSync('nowhere', early.file)
  const late = saving({
    onPart: () => {
      rmSync(late.file, { force: true })
      symlinkSync('nowhere', late.file)
    },
  })
  for (const { run, file, left } of [early, late]) {
    await expect(run()).rejects.toThrow('nothing is overwritten')
    expect(lstatSync(file).isSymbolicLink()).toBe(true)
    expect(left()).toEqual(['out'])
  }
  expect(early.asked).toEqual([])
})

test.for(['new/', 'new/.', 'new/..', ''])('refuses "%s", which names no file', async (name) => {
  const { run, left, asked } = saving({ name })
  await expect(run()).rejects.toThrow('names a folder')
  expect([left(), asked]).toEqual([[], []])
})

test('accepts the longest file name that the disk accepts', async () => {
  const { run, left } = saving({ name: 'n'.repeat(255) })
  expect(await run()).toMatchObject({ ok: true })
  expect(left()).toEqual(['n'.repeat(255)])
  await expect(saving({ name: 'n'.repeat(256) }).run()).rejects.toThrow('cannot be written (ENAMETOOLONG)')
})

test('reports a disk that refuses the file', async () => {
  const lost = saving({
    onPart: () => {
      rmSync(lost.directory, { recursive: true, force: true })
    },
  })
  const answer = await lost.run()
  expect(answer).toMatchObject({ ok: false, error: { code: 'unavailable', retryable: false } })
  expect(answer.ok ? '' : answer.error.message).toMatch(/could not be written \(E[A-Z]+\).*Free some space/)
})

test('leaves no file behind when it is interrupted', async () => {
  const stopped = saving({
    onPart: () => {
      stopped.interrupt.abort(new Error('Stop.'))
    },
  })
  await expect(stopped.run()).rejects.toThrow('Stop.')
  expect(stopped.left()).toEqual([])
})

test('needs the tool that reads parts', async () => {
  const { run, left } = saving({ tools: ['DownloadFile'] })
  await expect(run()).rejects.toThrow('--tools hides')
  expect(left()).toEqual([])
})
