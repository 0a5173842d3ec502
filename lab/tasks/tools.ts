// An agent's tools, which count their calls.
import { isObject, type JsonObject } from '../../packages/core/src/base/json.ts'
import type { Client, ContentBlock, Tool } from '@modelcontextprotocol/client'

export type Arguments = Readonly<Record<string, unknown>>

/** The tools of our servers, by their names without the prefix. */
export interface Tools {
  /** Calls a tool, which must succeed. An argument that the agent cannot know is an error, unless it is the agent's own text. */
  readonly call: (tool: string, args?: Arguments) => Promise<JsonObject>
  /** Calls a tool, which must refuse. Returns what it says. */
  readonly refused: (tool: string, args?: Arguments) => Promise<string>
}

export interface Called {
  readonly isError: boolean
  readonly text: string
  readonly data: JsonObject
}

export interface Toolbox {
  readonly tools: readonly Tool[]
  readonly call: (tool: string, args: Arguments) => Promise<Called>
  readonly calls: () => number
  /** Bytes that a model reads: for each result, the larger of text and structured content. */
  readonly bytes: () => number
}

/** The tools of all servers in one list, under names that every endpoint accepts. */
export async function openToolbox(clients: readonly Client[]): Promise<Toolbox> {
  const lists = await Promise.all(clients.map(async (client) => (await client.listTools()).tools.map((tool) => ({ tool, client }))))
  const owners = new Map<string, { readonly tool: Tool; readonly client: Client }>()
  for (const owner of lists.flat()) owners.set(safeName(owner.tool.name, owners), owner)
  let [calls, bytes] = [0, 0]
  return {
    tools: [...owners].map(([name, { tool }]) => ({ ...tool, name })),
    calls: () => calls,
    bytes: () => bytes,
    async call(name, args) {
      const owner = owners.get(name)
      calls += 1
      const missing = { isError: true, text: `There is no tool "${name}".`, data: {} }
      const called = owner ? await callTool(owner.client, owner.tool.name, args) : missing
      bytes += Math.max(
        Buffer.byteLength(called.text),
        Object.keys(called.data).length > 0 ? Buffer.byteLength(JSON.stringify(called.data)) : 0,
      )
      return called
    },
  }
}

/** A unique name as endpoints require it: at most 64 letters, digits, `_` and `-`. */
function safeName(name: string, taken: ReadonlyMap<string, unknown>, count = 1): string {
  const suffix = count === 1 ? '' : `_${count}`
  const safe = name.replaceAll(/[^\w-]/g, '_').slice(0, 64 - suffix.length) + suffix
  return taken.has(safe) ? safeName(name, taken, count + 1) : safe
}

/** Calls a tool. Throws if the server has exited. */
async function callTool(client: Client, name: string, args: Arguments): Promise<Called> {
  try {
    const { isError, structuredContent, content } = await client.callTool({ name, arguments: { ...args } })
    return { isError: isError === true, text: content.map(textOf).join('\n'), data: isObject(structuredContent) ? structuredContent : {} }
  } catch (error) {
    if (!client.transport) throw new Error('The server has ended.', { cause: error })
    return { isError: true, text: error instanceof Error ? error.message : String(error), data: {} }
  }
}

/** The text that a model reads for part of a result. */
function textOf(block: ContentBlock): string {
  if (block.type === 'text') return block.text
  if (block.type === 'resource_link') return `${block.name}: ${block.uri}`
  if (block.type !== 'resource') return `[${block.type}]`
  return 'text' in block.resource ? block.resource.text : `[resource ${block.resource.uri}]`
}

/** Parameters that an agent fills with its own words or code. */
const prose = new Set([
  ...['title', 'name', 'body', 'description', 'text', 'content', 'keywords', 'query', 'with', 'append', 'passage', 'mode'],
  ...['new_filename', 'folder_name', 'file_name', 'request_body', 'mapping', 'message', 'rows', 'updated_before', 'due_date'],
])

/** Tools for an agent that knows only the wish, the descriptions and the results. */
export function toolsOf({ tools, call }: Toolbox, wish: string): Tools {
  const known = [wish]
  const make = async (tool: string, args: Arguments = {}): Promise<Called> => {
    const definition = tools.find(({ name }) => name.endsWith(`_${tool}`))
    if (!definition) throw new Error(`There is no tool ${tool}.`)
    const made = unknownIn(args, [...known, JSON.stringify(definition)].join('\n').toLowerCase())
    if (made.length > 0) throw new Error(`${tool}: no one has told the agent ${made.join(', ')}.`)
    const called = await call(definition.name, args)
    known.push(called.text, JSON.stringify(called.data))
    return called
  }
  return {
    async call(tool, args) {
      const { isError, text, data } = await make(tool, args)
      if (isError) throw new Error(`${tool} ${JSON.stringify(args)} failed: ${text}`)
      return data
    },
    async refused(tool, args) {
      const { isError, text } = await make(tool, args)
      if (!isError) throw new Error(`${tool} ${JSON.stringify(args)} was not refused: ${text}`)
      return text
    },
  }
}

/** The texts in arguments that occur in none of the sources; the parts of a path are checked one by one. */
function unknownIn(value: unknown, sources: string, name = ''): string[] {
  if (typeof value === 'string') {
    const isKnown = prose.has(name) || value.split('/').every((part) => sources.includes(part.toLowerCase()))
    return isKnown ? [] : [`"${value}" (${name})`]
  }
  if (Array.isArray(value)) return value.flatMap((each) => unknownIn(each, sources, name))
  if (!isObject(value) || prose.has(name)) return []
  return Object.entries(value).flatMap(([key, each]) => unknownIn(each, sources, key))
}

type Row = Readonly<Record<string, unknown>>

export const rows = (value: unknown): readonly Row[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** The values of a field in all rows. */
export const column = (value: unknown, name: string): string[] => rows(value).map((row) => String(row[name]))

/** The first row that has a word in one of its fields. */
export function rowWith(value: unknown, name: string, word: string): Row {
  const found = rows(value).find((row) => String(row[name]).includes(word))
  if (!found) throw new Error(`No row has ${word} in its ${name}.`)
  return found
}

/** All rows of a list, page by page. */
export async function allRows({ call }: Tools, tool: string, args: Arguments, list: string): Promise<readonly Row[]> {
  const page = await call(tool, args)
  const { end_cursor: next } = isObject(page['pagination']) ? page['pagination'] : {}
  const rest =
    typeof next === 'string' ? await allRows({ call, refused: () => Promise.resolve('') }, tool, { ...args, end_cursor: next }, list) : []
  return [...rows(page[list]), ...rest]
}

/** The date this many days ago. */
export const dayAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
