// An agent that knows nothing but a person's wish, the descriptions of the tools, and their results.
import { type Clock, isObject, type JsonObject, member, systemClock } from '@mcp-toolkits/core/base'
import { linearEmulator } from '@mcp-toolkits/linear-emulator'
import { connect } from '@mcp-toolkits/testing'
import type { CallToolResult } from '@modelcontextprotocol/client'
import { issueTracker } from '../../servers.ts'

/** The same day in every run, a Friday. */
const now = () => Date.UTC(2026, 10, 20, 9, 30)
const clock: Clock = { ...systemClock, now }
const apiKey = 'lin_api_jobs'

type Arguments = Readonly<Record<string, unknown>>

export interface Agent {
  /** Calls a tool, which must succeed. An argument that nobody has told the agent is an error, unless it is prose of its own. */
  readonly call: (tool: string, args?: Arguments) => Promise<JsonObject>
  /** The blocks of the last result: a picture comes as one. */
  readonly last: () => CallToolResult['content']
}

/** Parameters that an agent writes in its own words. */
const prose = new Set(['title', 'name', 'body', 'description', 'text', 'content', 'comment', 'keywords', 'file_name', 'attachment_title'])

/** The workspace as another client of Linear sees it. */
export interface Workspace {
  /** Sends a document and returns its data. */
  readonly ask: (query: string, input?: object) => Promise<unknown>
  readonly upload: (url: string, type: string, bytes: Buffer) => Promise<void>
  /** Changes that took effect. */
  readonly changes: () => number
}

export interface Work extends AsyncDisposable {
  readonly agent: Agent
  readonly vendor: Workspace
  readonly calls: () => number
  /** Four bytes of what the agent has read are a token: of results, the larger of text and structured content. */
  readonly tokens: () => number
}

/** Opens the tracker with the given toolsets, for a wish of a person. */
export async function openWork(wish: string, toolsets: readonly string[]): Promise<Work> {
  const emulator = linearEmulator({ seed: 'company', apiKey, now })
  const { prefix, withDefinition } = issueTracker
  const environment = { ISSUE_TRACKER_API_KEY: apiKey }
  const settings = { fetch: emulator.fetch, clock, environment, toolsets }
  const server = await withDefinition(async (definition) => connect(definition, settings))
  const { tools } = await server.client.listTools()
  const known = [wish]
  let [calls, bytes] = [0, 0]
  let last: CallToolResult['content'] = []
  const agent: Agent = {
    last: () => last,
    async call(tool, args = {}) {
      const definition = tools.find(({ name }) => name === `${prefix}_${tool}`)
      const sources = [...known, JSON.stringify(definition)].join('\n').toLowerCase()
      const made = unknownIn(args, sources)
      if (made.length > 0) throw new Error(`${tool}: nobody has told the agent ${made.join(', ')}.`)
      const { isError, structuredContent, content } = await server.result(`${prefix}.${tool}`, { ...args })
      const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('')
      if (isError === true) throw new Error(`${tool} ${JSON.stringify(args)} failed: ${text}`)
      const data = isObject(structuredContent) ? structuredContent : {}
      const size = Math.max(Buffer.byteLength(text), structuredContent ? Buffer.byteLength(JSON.stringify(data)) : 0)
      known.push(text, JSON.stringify(data))
      ;[calls, bytes, last] = [calls + 1, bytes + size, content]
      return data
    },
  }
  return {
    agent,
    vendor: {
      changes: () => emulator.store.mutations().length,
      async ask(query, input = {}) {
        const headers = { authorization: apiKey, 'content-type': 'application/json' }
        const body = JSON.stringify({ query, variables: { input } })
        const answer: unknown = await (await emulator.fetch('https://api.linear.app/graphql', { method: 'POST', headers, body })).json()
        if (member(answer, 'errors') !== undefined) throw new Error(JSON.stringify(answer))
        return member(answer, 'data')
      },
      async upload(url, type, bytes) {
        await emulator.fetch(url, { method: 'PUT', headers: { 'content-type': type }, body: bytes })
      },
    },
    calls: () => calls,
    tokens: () => Math.round(bytes / 4),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await emulator.close()
    },
  }
}

/** The texts in arguments that are in none of the sources. */
function unknownIn(value: unknown, sources: string, name = ''): string[] {
  if (typeof value === 'string') return prose.has(name) || sources.includes(value.toLowerCase()) ? [] : [`"${value}" (${name})`]
  if (Array.isArray(value)) return value.flatMap((each) => unknownIn(each, sources, name))
  return isObject(value) ? Object.entries(value).flatMap(([key, each]) => unknownIn(each, sources, key)) : []
}
