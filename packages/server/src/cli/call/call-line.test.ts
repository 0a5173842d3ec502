import { readFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { ListedTool } from '../../mcp/definition.ts'
import { listing } from '../../mcp/listing/listing.ts'
import { Bookshelf, bookshelfServer } from '../../../test/bookshelf.ts'
import { UsageError } from '../command.ts'
import { findTool, readToolArguments } from './call-line.ts'

const text = { type: 'string' }
const tool: ListedTool = {
  name: 'CreateItem',
  title: 'Create an item',
  description: 'Creates an item.',
  effect: 'create',
  canRead: false,
  scopes: [],
  inputSchema: {
    type: 'object',
    properties: {
      title: text,
      due_date: text,
      labels_to_add: { type: 'array', items: text },
      kinds: { anyOf: [text, { type: 'array', items: text }] },
      notify: { type: 'boolean' },
      no_reply: { type: 'boolean' },
      limit: { type: 'integer' },
      body: { type: 'object' },
    },
  },
  outputSchema: {},
  annotations: {},
}
const read = (...words: readonly string[]) => readToolArguments(words, tool)

describe('readToolArguments', () => {
  it.each([
    [['--title', 'A title', '--due-date=2026-01-02'], { title: 'A title', due_date: '2026-01-02' }],
    [['--due_date', '2026-01-02'], { due_date: '2026-01-02' }],
    [['--title='], { title: '' }],
    [['--title=--x=y'], { title: '--x=y' }],
    [['--title', '-5 degrees'], { title: '-5 degrees' }],
    [['--notify', '--limit', '-5'], { notify: true, limit: -5 }],
    [['--no-notify', '--no-reply'], { notify: false, no_reply: true }],
    [['--no-no-reply'], { no_reply: false }],
    [['--notify=false'], { notify: false }],
    [['--notify=perhaps', '--limit', 'ten'], { notify: 'perhaps', limit: 'ten' }],
    [['--labels-to-add', 'a', '--labels_to_add', 'b, c'], { labels_to_add: ['a', 'b, c'] }],
    [['--labels-to-add', '["a","b"]', '--labels-to-add', 'c'], { labels_to_add: ['a', 'b', 'c'] }],
    [['--labels-to-add', '[draft]'], { labels_to_add: ['[draft]'] }],
    [['--kinds', 'a'], { kinds: 'a' }],
    [['--kinds', 'a', '--kinds', 'b'], { kinds: ['a', 'b'] }],
    [['--kinds', '["a"]'], { kinds: ['a'] }],
    [['--body', '{"a":1}'], { body: { a: 1 } }],
    [['--body', '{oops'], { body: '{oops' }],
    [['due-date=@package.json', '--title', 'title=@me'], { due_date: readFileSync('package.json', 'utf8'), title: 'title=@me' }],
  ])('reads %j', (words, values) => {
    expect(read(...words)).toEqual({ values, json: undefined, unknown: [] })
  })

  it('takes JSON beside flags, also behind --', () => {
    expect(read('--title', 'x', '{"limit":1}')).toMatchObject({ values: { title: 'x' }, json: '{"limit":1}' })
    expect(read('--notify', '--', '--x')).toMatchObject({ values: { notify: true }, json: '--x' })
  })

  it.each([
    [['--no-notfy'], 'CreateItem has no parameter "--no-notfy". Did you mean --notify?'],
    [['--no-title'], 'CreateItem has no parameter "--no-title". Did you mean --title?'],
    [['-t'], 'CreateItem has no parameter "-t". It takes'],
    [['--title'], '--title needs a value.'],
    [['--title', '--notify'], '--title needs a value. One that begins with a dash is written as --title=VALUE.'],
    [['--title', 'a', '--title=b'], '--title is given twice.'],
    [['--no-notify=1'], '--no-notify takes no value.'],
    [['--title', 'two', 'words'], undefined],
    [['two', 'words'], 'Unexpected argument "words": call takes one tool'],
    [['title=@no/such.md'], '"no/such.md" cannot be read (ENOENT).'],
  ])('says what is wrong with %j', (words, said) => {
    if (said === undefined) expect(read(...words).json).toBe('words')
    else expect(() => read(...words)).toThrow(said)
  })

  it.each([
    [['--titel', 'x'], 'CreateItem has no parameter "--titel". Did you mean --title?'],
    [['--titel=secret'], 'CreateItem has no parameter "--titel". Did you mean --title?'],
    [['--labels', 'x'], 'CreateItem has no parameter "--labels". Did you mean --labels-to-add?'],
    [['--idempotency_key', 'k'], 'CreateItem has no parameter "--idempotency_key". Did you mean --idempotency-key?'],
    [['--constructor', 'x'], 'CreateItem has no parameter "--constructor". It takes --title, --due-date,'],
  ])('leaves %j to the tool, which may know the name, and says what to answer if not', (words, said) => {
    expect(read(...words).unknown.map(({ error }) => error.message)).toEqual([expect.stringContaining(said)])
  })

  it('refers to the help of the tool', () => {
    expect(() => read('--quux')).toThrow(expect.objectContaining({ help: 'call CreateItem --help' }))
  })
})

describe('findTool', () => {
  const definition = bookshelfServer(new Bookshelf())
  const shown = listing(definition, { readOnly: false, toolNames: 'safe' })
  const find = async (name: string, { json, isTTY }: { readonly json: boolean; readonly isTTY: boolean }) =>
    findTool(definition, shown, name, { json, console: { errors: Object.assign(new PassThrough(), { isTTY }) } })
  const help = 'tools'

  it.each(['AddBook', 'addbook', 'add_book', 'Shelf_AddBook', 'shelf.addbook'])('finds AddBook as %s', async (name) => {
    expect((await find(name, { json: false, isTTY: true })).name).toBe('AddBook')
  })

  it('accepts another name that can only mean one read-only tool, and says so', async () => {
    const errors = new PassThrough({ encoding: 'utf8' })
    expect((await findTool(definition, shown, 'FindBok', { json: true, console: { errors } })).name).toBe('FindBook')
    expect(errors.read()).toBe('Assuming "FindBok" means FindBook.\n')
  })

  it.each([
    ['AddBok', 'AddBook'],
    ['RenamBook', 'RenameBook'],
  ])('never takes %s for a tool that writes, and suggests %s', async (written, meant) => {
    const message = `There is no tool "${written}". Did you mean ${meant}?`
    await expect(find(written, { json: true, isTTY: false })).rejects.toMatchObject({ message })
  })

  it('says which tools may be meant, and to a program also as data', async () => {
    const refusal = async (reader: { readonly json: boolean; readonly isTTY: boolean }) => {
      const refused = await find('BookThing', reader).catch((error: unknown) => error)
      return refused instanceof UsageError ? refused : undefined
    }
    const shownToPerson = await refusal({ json: false, isTTY: true })
    expect(shownToPerson).toMatchObject({ help, data: undefined })
    expect(shownToPerson?.message).toMatch(/^There is no tool "BookThing"\. Closest: /)
    expect((await refusal({ json: true, isTTY: true }))?.data).toHaveProperty('suggestions')
    expect((await refusal({ json: false, isTTY: false }))?.data).toHaveProperty('suggestions')
  })

  it('suggests nothing if no tool has a similar name', async () => {
    const said = { message: 'There is no tool "Quux".', help, data: undefined }
    await expect(find('Quux', { json: true, isTTY: false })).rejects.toMatchObject(said)
  })
})
