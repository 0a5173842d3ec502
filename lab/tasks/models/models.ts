// A model at an endpoint that the user names, in either of the two common forms: chat completions, or Anthropic's messages.
import { setTimeout as sleep } from 'node:timers/promises'
import { isObject, type JsonObject, member, parseJson } from '../../../packages/core/src/base/json.ts'
import type { Tool } from '@modelcontextprotocol/client'
import { rows } from '../tools.ts'

export interface ToolCall {
  readonly id: string
  readonly name: string
  /** The arguments; undefined if the model wrote anything but an object. */
  readonly args: JsonObject | undefined
  /** The arguments as the model wrote them. */
  readonly text: string
}

/** The model's words, and the tools that it wants to call. */
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
  /** The full URL; if it ends in `/messages`, Anthropic's form is used. */
  readonly endpoint: string
  readonly key: string | undefined
  /** Waits between attempts. */
  readonly wait?: Wait
}

type Wait = (milliseconds: number) => Promise<unknown>

/** One of the two forms of requests and answers. */
interface Form {
  readonly headers: (key: string) => Readonly<Record<string, string>>
  readonly body: (conversation: Conversation) => object
  /** Reads an answer; undefined if it has no message. */
  readonly reply: (answer: unknown) => Reply | undefined
}

export function openModel({ name, endpoint, key, wait = sleep }: ModelOptions): Model {
  const { headers, body, reply } = new URL(endpoint).pathname.endsWith('/messages') ? messages : chat
  return async (conversation) => {
    const request = { model: name, ...body(conversation) }
    const given = { 'content-type': 'application/json', ...(key !== undefined && headers(key)) }
    const answer = await post(endpoint, { method: 'POST', headers: given, body: JSON.stringify(request) }, wait)
    const read = reply(parseJson(answer))
    if (!read) throw new Error(`The endpoint answers 200 without a message: ${answer.slice(0, 500)}`)
    return read
  }
}

const mostAttempts = 6

/** Tries again when the endpoint is busy, or a connection breaks. */
async function post(endpoint: string, request: RequestInit, wait: Wait, attempt = 1): Promise<string> {
  const { status, text, pause } = await send(endpoint, request)
  if (status >= 200 && status < 300) return text
  const isBusy = status === 0 || status === 429 || status >= 500
  if (!isBusy || attempt >= mostAttempts)
    throw new Error(`The endpoint ${status === 0 ? 'does not answer' : `answers ${status}`}: ${text.slice(0, 500)}`)
  await wait(1000 * (pause || 2 ** attempt))
  return post(endpoint, request, wait, attempt + 1)
}

/** Sends a request once; the status is 0 if the connection breaks. */
async function send(endpoint: string, request: RequestInit) {
  try {
    const response = await fetch(endpoint, request)
    return { status: response.status, text: await response.text(), pause: Number(response.headers.get('retry-after')) }
  } catch (error) {
    return { status: 0, text: reasonOf(error), pause: 0 }
  }
}

/** The message of an error, and of its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
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
          tool_calls: reply.calls.map(({ id, name, text }) => ({ id, type: 'function', function: { name, arguments: text } })),
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
    const calls = rows(member(message, 'tool_calls')).map(callInChat)
    const text = member(message, 'content') ?? member(message, 'refusal')
    if (typeof text !== 'string' && calls.length === 0) return undefined
    const usage = member(answer, 'usage')
    return {
      ...{ text: textOf(text), calls },
      input: Number(member(usage, 'prompt_tokens') ?? 0),
      output: Number(member(usage, 'completion_tokens') ?? 0),
    }
  },
}

/** A call; its arguments are an object as text, but some endpoints send the object itself, or nothing if there are none. */
function callInChat({ id, function: called }: JsonObject): ToolCall {
  const given = member(called, 'arguments') ?? ''
  const text = typeof given === 'string' ? given.trim() || '{}' : JSON.stringify(given)
  const args = parseJson(text)
  return { id: String(id), name: String(member(called, 'name')), args: isObject(args) ? args : undefined, text }
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
            ...reply.calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args ?? {} })),
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
    const content = member(answer, 'content')
    if (!Array.isArray(content)) return undefined
    const blocks = rows(content)
    const usage = member(answer, 'usage')
    const cached = Number(member(usage, 'cache_read_input_tokens') ?? 0) + Number(member(usage, 'cache_creation_input_tokens') ?? 0)
    return {
      text: blocks.map(({ text }) => textOf(text)).join(''),
      calls: blocks
        .filter(({ type }) => type === 'tool_use')
        .map(({ id, name, input }) => ({
          ...{ id: String(id), name: String(name) },
          ...{ args: isObject(input) ? input : undefined, text: JSON.stringify(input) },
        })),
      input: Number(member(usage, 'input_tokens') ?? 0) + cached,
      output: Number(member(usage, 'output_tokens') ?? 0),
    }
  },
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
