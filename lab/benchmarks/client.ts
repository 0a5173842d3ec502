// A client that starts a server over stdio and counts the bytes of its answers.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { member } from '../../packages/core/src/base/json.ts'
import type { Program } from '../../packages/testing/src/processes/measure-start.ts'

export interface Reply {
  readonly isError: boolean
  /** All text of the answer. */
  readonly text: string
  /** Bytes of the whole result, which clients pass on to the model in some form. */
  readonly bytes: number
}

export interface RunningServer extends AsyncDisposable {
  readonly pid: number | undefined
  /** Resolves with undefined if there is no answer within `ms`; unlimited by default. */
  readonly call: (tool: string, args: object, ms?: number) => Promise<Reply | undefined>
  /** Closes the server's input and waits for it to exit. */
  readonly end: () => Promise<void>
}

const clientInfo = { name: 'bench', version: '1.0.0' }

export async function startServer({ main, options = [], environment }: Program): Promise<RunningServer> {
  const child = spawn(process.execPath, [...options, main], { env: { ...environment }, stdio: ['pipe', 'pipe', 'ignore'] })
  const ended = once(child, 'close')
  const answers = readAnswers(child)
  let nextId = 0
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const request = (method: string, params: object) => {
    const id = (nextId += 1)
    const { promise, resolve } = Promise.withResolvers<unknown>()
    answers.set(id, resolve)
    send({ id, method, params })
    return promise
  }
  await request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
  send({ method: 'notifications/initialized' })
  return {
    pid: child.pid,
    async call(tool, callArguments, ms) {
      const answered = request('tools/call', { name: tool, arguments: callArguments })
      const answer = await (ms === undefined ? answered : Promise.race([answered, timeout(ms)]))
      return answer === undefined ? undefined : replyOf(answer)
    },
    async end() {
      child.stdin.end()
      await ended
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

function timeout(ms: number): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  setTimeout(() => {
    resolve(undefined)
  }, ms).unref()
  return promise
}

/** Calls back with each message that has an id. Some servers also print other lines. */
function readAnswers(child: ChildProcess): Map<unknown, (answer: unknown) => void> {
  const waiting = new Map<unknown, (answer: unknown) => void>()
  let held: Buffer[] = []
  child.stdout?.on('data', (chunk: Buffer) => {
    held.push(chunk)
    if (!chunk.includes(10)) return
    const lines = Buffer.concat(held).toString().split('\n')
    held = [Buffer.from(lines.pop() ?? '')]
    for (const line of lines) {
      const answer = parsed(line)
      const id = member(answer, 'id')
      waiting.get(id)?.(answer)
      waiting.delete(id)
    }
  })
  return waiting
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

/** A block's text, or an embedded file's base64. */
const contentOf = (block: unknown) => `${textOf(member(block, 'text'))}${textOf(member(member(block, 'resource'), 'blob'))}`

/** The value of JSON; undefined for other text. */
export function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function replyOf(answer: unknown): Reply {
  const result = member(answer, 'result')
  const content = member(result, 'content')
  const texts = Array.isArray(content) ? content.map(contentOf) : []
  const error = member(answer, 'error')
  return {
    isError: result === undefined || member(result, 'isError') === true,
    text: error === undefined ? texts.join('\n') : JSON.stringify(error),
    bytes: Buffer.byteLength(JSON.stringify(result ?? error ?? null)),
  }
}
