import { execFileSync } from 'node:child_process'
import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '@mcp-toolkits/core/base'
import { type ErrorBody, rememberSecret } from '@mcp-toolkits/core/errors'
import { listedTool } from '../../../test/listed-tool.ts'
import { acmeServer, fileOption } from '../../../test/acme.ts'
import { readToolArguments } from './call-line.ts'
import { showError, showResult } from './call-view.ts'
import { readCommandLine } from '../options/command-line.ts'
import { runs } from '../../../../testing/src/runs.ts'

const text = { type: 'string' }
const list = { type: 'array', items: text }
const properties = {
  title: text,
  due_date: text,
  no_reply: { type: 'boolean' },
  notify: { type: 'boolean' },
  limit: { type: 'integer' },
  either: { anyOf: [text, { type: 'integer' }, { type: 'boolean' }] },
  labels: list,
  kinds: { anyOf: [text, list] },
  body: { type: 'object' },
  mixed: { anyOf: [text, { type: 'object' }, list] },
  // The name of an option that every call has.
  tools: list,
}
const tool = { ...listedTool('AddThing'), inputSchema: { type: 'object', properties } }
const other = { ...tool, name: 'FindThing' }
const definition = { ...acmeServer, listedTools: [tool, other], extensions: [{ fileOption: fileOption('input') }] }

/** Everything printed about a call on a terminal. */
async function printed(run: (console: Parameters<typeof showError>[2]) => Promise<unknown>): Promise<string> {
  const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true })
  const console = { input: stream, output: stream, errors: stream, environment: {}, program: 'acme', onSignal: () => undefined }
  await run(console)
  return stripVTControlCharacters(String(stream.read() ?? ''))
}

interface Typed {
  readonly args: JsonObject
  readonly options?: { readonly general: readonly string[]; readonly own: readonly string[] }
}

async function printedNext({ args, options = { general: [], own: [] } }: Typed, next: ErrorBody['next']): Promise<string | undefined> {
  const error: ErrorBody = { code: 'invalid_input', message: 'No.', retryable: false, ...(next && { next }) }
  const shown = await printed(async (console) => showError({ definition, tool, args, options }, error, console))
  return /^Next: (.*)/ms.exec(shown)?.[1]?.replace(/\n$/, '')
}

/** A printed command, split as a shell splits it and read as a command line. */
async function readBack(command: string) {
  const words = execFileSync('sh', ['-c', `printf '%s\\0' ${command}`], { encoding: 'utf8' })
    .split('\0')
    .slice(1, -1)
  const line = await readCommandLine(words, {}, definition)
  const { values, json, unknown } = readToolArguments(line.forTool, tool, definition)
  expect(unknown).toEqual([])
  const parsed: unknown = JSON.parse(json ?? '{}')
  return { line, args: { ...(typeof parsed === 'object' ? parsed : {}), ...values } }
}

/** Texts that a shell, an option or a terminal could read as something else. */
const hostile = [
  '-5',
  '--json',
  '--',
  '-',
  '',
  "it's",
  '$(id)',
  '`id`',
  'a\nb',
  '\u001B[31m',
  '\u202E',
  '[1]',
  '{"a":1}',
  'true',
  '7',
  '@me',
  '#',
  '*',
]
const word = fc.oneof(fc.constantFrom(...hostile), fc.string({ unit: 'binary', maxLength: 8 }), fc.string({ maxLength: 8 }))
const value = fc.oneof(word, fc.integer(), fc.boolean(), fc.array(word, { maxLength: 3 }), fc.dictionary(word, word, { maxKeys: 2 }))
const name = fc.constantFrom(...Object.keys(properties))
const args = fc.dictionary(name, value, { maxKeys: 5, noNullPrototype: true })
const change = fc.dictionary(name, fc.option(value), { maxKeys: 3, minKeys: 1, noNullPrototype: true })

const withoutNulls = (object: JsonObject) => Object.fromEntries(Object.entries(object).filter(([, each]) => each !== null))

describe('a printed command', () => {
  it('is the call that the next step means, whatever was typed', async () => {
    await fc.assert(
      fc.asyncProperty(args, change, fc.boolean(), async (given, changes, isOther) => {
        const next = isOther ? { tool: 'Acme.FindThing', arguments: changes } : { change: changes }
        const command = (await printedNext({ args: given }, next)) ?? ''
        const { line, args: read } = await readBack(command)
        expect(line.operands).toEqual([isOther ? 'FindThing' : 'AddThing'])
        expect(read).toEqual(withoutNulls(isOther ? changes : { ...given, ...changes }))
      }),
      { numRuns: runs(300) },
    )
  })

  it('leaves out what the step removes', async () => {
    const next = { change: { labels: null, title: 'A title' } }
    expect(await printedNext({ args: { labels: ['a'], notify: false } }, next)).toBe("acme-mcp call AddThing --no-notify --title 'A title'")
  })

  it('keeps the options that were typed; those of one call only for the same tool', async () => {
    const options = { general: ['--data-dir', '/my data'], own: ['--input', '-', '--idempotency-key=-k'] }
    const same = await printedNext({ args: {}, options }, { change: { title: 'x' } })
    expect(same).toBe("acme-mcp call AddThing --title x --input - --idempotency-key=-k --data-dir '/my data'")
    const { line } = await readBack(same ?? '')
    expect(line).toMatchObject({ files: new Map([['input', '-']]), idempotencyKey: '-k', settings: { dataDirectory: '/my data' } })
    const another = await printedNext({ args: {}, options }, { tool: 'Acme.FindThing', arguments: {} })
    expect(another).toBe("acme-mcp call FindThing --data-dir '/my data'")
  })

  it('is left out if it would contain a secret, because hiding the secret would make a different call', async () => {
    const secret = 'canary-key'
    rememberSecret(secret)
    expect(await printedNext({ args: { title: secret } }, { change: { limit: 1 } })).toBeUndefined()
  })

  it('asks for the next page with everything that was typed', async () => {
    const call = { definition, tool, args: { title: '-x' }, options: { general: ['--read-only'], own: [] } }
    const page = { pagination: { has_more: true, end_cursor: 'c1' } }
    const shown = await printed(async (console) => showResult(call, page, console))
    expect(shown).toContain(`More: acme-mcp call AddThing '{"title":"-x","end_cursor":"c1"}' --read-only\n`)
  })
})
