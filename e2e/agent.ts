// An agent that uses a server with sample data, and does as descriptions, prompts and skills say.
import { isObject, member } from '@mcp-toolkits/core/base'
import { connect, type ConnectSettings } from '@mcp-toolkits/testing'
import { onTestFinished } from 'vitest'
import type { Server } from '../servers.ts'

type Row = Readonly<Record<string, unknown>>
type Call = (tool: string, args: Row) => Promise<Row>

export interface Agent {
  readonly call: Call
  /** The tools that the agent has called. */
  readonly calls: readonly string[]
  /** Makes a call as someone else: a colleague before the agent's work, or the test after it. */
  readonly aside: Call
  /** Makes a call that must be refused, and resolves with its message. */
  readonly refused: (tool: string, args: Row) => Promise<string>
}

export async function agentOf(
  { prefix, withDefinition }: Server,
  toolsets: readonly string[] = [],
  settings: ConnectSettings = {},
): Promise<Agent> {
  const server = await withDefinition(async (definition) => connect(definition, { embedded: true, toolsets, ...settings }))
  onTestFinished(() => server[Symbol.asyncDispose]())
  const calls: string[] = []
  const aside: Call = (tool, args) => server.call(`${prefix}.${tool}`, { ...args })
  return {
    calls,
    aside,
    call(tool, args) {
      calls.push(tool)
      return aside(tool, args)
    },
    async refused(tool, args) {
      calls.push(tool)
      return (await server.fails(`${prefix}.${tool}`, { ...args })).message
    },
  }
}

export const rows = (value: unknown): readonly Row[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** The text at a path of field names in an answer. */
export const field = (value: unknown, ...names: readonly string[]) => String(names.reduce(member, value))

/** The first row with a word in one of its fields. */
export function rowWith(value: unknown, name: string, word: string): Row {
  const found = rows(value).find((row) => String(row[name]).includes(word))
  if (!found) throw new Error(`No row has ${word} in its ${name}.`)
  return found
}
