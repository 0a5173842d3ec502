// A model at an endpoint that the user names, in either of the two common forms: chat completions, or Anthropic's messages.
import { setTimeout as sleep } from 'node:timers/promises'
import { isObject, type JsonObject, member, parseJson } from '../../../packages/core/src/base/json.ts'
import type { Tool } from '@modelcontextprotocol/client'
import { rows } from '../tools.ts'

export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly args: JsonObject
}

/** Words of the model, and the tools that it wants to call. */
export interface Reply {
  readonly text: string
  readonly calls: readonly ToolCall[]
  readonly input: number
  readonly output: number
}

/** A reply, and the text of each call's result. */
export interface Turn {
  readonly reply: Reply
  readonly results: readonly { readonly id: string; readonly text: string; readonly isError: boolean }[]
}

export interface Conversation {
  readonly system: string
  readonly wish: string
  readonly tools: readonly Tool[]
  readonly turns: readonly Turn[]
}

export type Model = (conversation: Conversation) => Promise<Reply>

export interface ModelOptions {
  readonly name: string
  /** The whole URL; one that ends in `/messages` gets Anthropic's form. */
  readonly endpoint: string
  readonly key: string | undefined
}

/** One form on the wire. */
interface Form {
  readonly headers: (key: string) => Readonly<Record<string, string>>
  readonly body: (conversation: Conversation) => object
  readonly reply: (answer: unknown) => Reply
}

export function openModel({ name, endpoint, key }: ModelOptions): Model {
  const { headers, body, reply } = new URL(endpoint).pathname.endsWith('/messages') ? messages : chat
  return async (conversation) => {
    const request = { model: name, ...body(conversation) }
    const given = { 'content-type': 'application/json', ...(key !== undefined && headers(key)) }
    return reply(await post(endpoint, { method: 'POST', headers: given, body: JSON.stringify(request) }))
  }
}

/** Tries again when the endpoint is busy. */
async function post(endpoint: string, request: RequestInit, attempts = 6): Promise<unknown> {
  const response = await fetch(endpoint, request)
  if (response.ok) return response.json()
  const isBusy = response.status === 429 || response.status >= 500
  if (!isBusy || attempts <= 1) throw new Error(`The endpoint answers ${response.status}: ${(await response.text()).slice(0, 500)}`)
  await response.body?.cancel()
  await sleep(1000 * (Number(response.headers.get('retry-after')) || 2 ** (7 - attempts)))
  return post(endpoint, request, attempts - 1)
}

const chat: Form = {
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  body: ({ system, wish, tools, turns }) => ({
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: wish },
      ...turns.flatMap(({ reply, results }) => [
        {
          role: 'assistant',
          content: reply.text || null,
          tool_calls: reply.calls.map(({ id, name, args }) => ({
            id,
            type: 'function',
            function: { name, arguments: JSON.stringify(args) },
          })),
        },
        ...results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text })),
      ]),
    ],
    tools: tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      function: { name, description, parameters: inputSchema },
    })),
  }),
  reply(answer) {
    const message = member(rows(member(answer, 'choices'))[0], 'message')
    const usage = member(answer, 'usage')
    return {
      text: textOf(member(message, 'content')),
      calls: rows(member(message, 'tool_calls')).map((call) => ({
        id: String(call['id']),
        name: String(member(call['function'], 'name')),
        args: objectOf(parseJson(String(member(call['function'], 'arguments')))),
      })),
      input: Number(member(usage, 'prompt_tokens') ?? 0),
      output: Number(member(usage, 'completion_tokens') ?? 0),
    }
  },
}

const messages: Form = {
  headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  body: ({ system, wish, tools, turns }) => ({
    system,
    max_tokens: 8192,
    messages: [
      { role: 'user', content: wish },
      ...turns.flatMap(({ reply, results }) => [
        {
          role: 'assistant',
          content: [
            ...(reply.text === '' ? [] : [{ type: 'text', text: reply.text }]),
            ...reply.calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
          ],
        },
        {
          role: 'user',
          content: results.map(({ id, text, isError }) => ({ type: 'tool_result', tool_use_id: id, content: text, is_error: isError })),
        },
      ]),
    ],
    tools: tools.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema })),
  }),
  reply(answer) {
    const blocks = rows(member(answer, 'content'))
    const usage = member(answer, 'usage')
    const cached = Number(member(usage, 'cache_read_input_tokens') ?? 0) + Number(member(usage, 'cache_creation_input_tokens') ?? 0)
    return {
      text: blocks.map(({ text }) => textOf(text)).join(''),
      calls: blocks
        .filter(({ type }) => type === 'tool_use')
        .map(({ id, name, input }) => ({ id: String(id), name: String(name), args: objectOf(input) })),
      input: Number(member(usage, 'input_tokens') ?? 0) + cached,
      output: Number(member(usage, 'output_tokens') ?? 0),
    }
  },
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})
