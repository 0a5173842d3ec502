import { connecting } from './acme.ts'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Clock } from '@mcp-toolkits/core/base'
import { toolkit, type CallContext, type Tool } from '@mcp-toolkits/core/tool'
import { onTestFinished } from 'vitest'
import { describeTool } from './describe.ts'
import { defineServer, type ServerDefinition, type Settings } from '../src/index.ts'
import { jsonLog } from '../src/mcp/log.ts'
import { flag, nothing, text } from './stdio/echo-server.ts'
import { openToolbox, type Toolbox } from '../src/mcp/calls/toolbox.ts'

/** The vendor's books. Adding two books under one id adds one. */
export class Bookshelf {
  readonly books = new Map<string, string>()
  renames = 0
  /** Called when a book has been added, before the tool returns. */
  onAdded: (call: CallContext) => Promise<void> = () => Promise.resolve()
  /** Called when a book has been given its title, before the tool returns. */
  onRenamed: () => Promise<void> = () => Promise.resolve()
  /** Called when a book has been found, before the tool returns. */
  onFound: () => Promise<void> = () => Promise.resolve()
}

/** A title for which AddBook's result is close to the limit. */
export const longTitle = 'Long'
const longText = 'x'.repeat(8_000_000)

const defineTool = toolkit<Bookshelf, 'none'>()
const described = { title: 'T', description: 'D', scopes: [], input: nothing.extend({ title: text }), example: { title: 'Emma' } } as const

const tools: readonly Tool<Bookshelf>[] = [
  defineTool({
    ...described,
    name: 'AddBook',
    effect: 'create',
    output: nothing.extend({ id: text, wasRepeated: flag, text }),
    async run({ title }, shelf, call) {
      const { uuid, isRepeat } = await call.operation.claim()
      shelf.books.set(uuid('book'), title)
      await shelf.onAdded(call)
      return { id: uuid('book'), wasRepeated: isRepeat, text: title === longTitle ? longText : title }
    },
  }),
  defineTool({
    ...described,
    name: 'RenameBook',
    effect: 'update',
    output: nothing.extend({ text }),
    async run({ title }, shelf) {
      shelf.renames += 1
      await shelf.onRenamed()
      return { text: title }
    },
  }),
  defineTool({
    ...described,
    name: 'FindBook',
    effect: 'read',
    output: nothing.extend({ text }),
    async run({ title }, shelf) {
      await shelf.onFound()
      return { text: title }
    },
  }),
]

/** A server that adds books to a shelf. */
export function bookshelfServer(shelf: Bookshelf): ServerDefinition<Bookshelf> {
  return defineServer<Bookshelf>({
    name: 'bookshelf',
    title: 'Bookshelf',
    version: '1.0.0',
    prefix: 'Shelf',
    shortName: 'shelf',
    vendor: 'Nobody',
    instructions: 'Adds books.',
    connectHint: '',
    listedTools: tools.map((tool) => describeTool(tool)),
    upstream: () => ({ kind: 'vendor', url: 'https://nobody.example' }),
    load: { tools: () => Promise.resolve(tools), connector: connecting(shelf, { accountId: 'me' }) },
  })
}

export interface BookshelfOptions {
  readonly shelf?: Bookshelf
  readonly clock?: Clock
  readonly settings?: Partial<Settings>
}

/** A toolbox with a data directory that is removed with the test. */
export async function openBookshelf({ shelf = new Bookshelf(), clock, settings }: BookshelfOptions = {}) {
  const dataDirectory = settings?.dataDirectory ?? (await newDirectory())
  const definition = bookshelfServer(shelf)
  const allSettings: Settings = { embedded: false, readOnly: false, toolNames: 'safe', environment: {}, ...settings, dataDirectory }
  const log = jsonLog('silent', () => undefined)
  const opened = openToolbox(definition, allSettings, { log, ...(clock && { clock }) })
  onTestFinished(opened.close)
  const [called, returned, delivered] = [new Recorder<string>(), new Recorder<boolean>(), new Recorder<boolean>()]
  const toolbox: Toolbox = {
    ...opened,
    async invoke(tool, args, options) {
      options.delivery?.onEnd((wasWritten) => {
        delivered.add(wasWritten)
      })
      const answering = opened.invoke(tool, args, options)
      called.add(tool.name)
      const answer = await answering
      returned.add(answer.ok)
      return answer
    },
  }
  return { shelf, definition, toolbox, settings: allSettings, log, called, returned, delivered }
}

/** Events, in order. */
export class Recorder<Entry> {
  readonly entries: Entry[] = []
  #onEntry: (() => void) | undefined

  add(entry: Entry): void {
    this.entries.push(entry)
    this.#onEntry?.()
  }

  /** Resolves when there are `count` entries. */
  async reaches(count: number): Promise<void> {
    if (this.entries.length >= count) return
    const { promise, resolve } = Promise.withResolvers<undefined>()
    this.#onEntry = () => {
      if (this.entries.length >= count) resolve(undefined)
    }
    await promise
  }
}

export async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'mcp-toolkits-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}
