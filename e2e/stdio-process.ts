import { exitOf, start, temporaryDirectory } from './command.ts'
import { initialize, isMessage, type Message } from '../packages/testing/src/processes/protocol.ts'
import { collectOutput } from './http-process.ts'

/** The built command over stdio, without a client. */
export interface StdioProcess extends AsyncDisposable {
  /** Writes text; resolves when the pipe has taken it. */
  readonly write: (text: string) => Promise<void>
  /** Writes a line. */
  readonly send: (line: string) => Promise<void>
  /** Resolves with the first message that has this id. */
  readonly answer: (id: string | number | null) => Promise<Message>
  /** All messages except the answer to the handshake; throws for anything else on standard output. */
  readonly messages: () => Message[]
  readonly endInput: (last?: string) => void
  readonly terminate: () => void
  readonly exit: () => Promise<number | null>
  readonly errors: () => string
}

const handshake = 'handshake'

/** Starts the command over stdio and completes the handshake. */
export async function startStdio(environment: Readonly<Record<string, string>> = { MCP_TOOLKITS_EMBEDDED: '1' }): Promise<StdioProcess> {
  const dataDirectory = await temporaryDirectory()
  const child = start(['--data-dir', dataDirectory], environment)
  const [output, errors] = [collectOutput(child.stdout), collectOutput(child.stderr)]
  const ended = exitOf(child)
  child.stdin.on('error', () => undefined)
  const messages = () =>
    output
      .all()
      .split('\n')
      .slice(0, -1)
      .map(parseMessage)
      .filter(({ id }) => id !== handshake)
  const write = async (text: string) => {
    const { promise, resolve } = Promise.withResolvers<undefined>()
    child.stdin.write(text, () => {
      resolve(undefined)
    })
    await promise
  }
  const send = (line: string) => write(`${line}\n`)
  const answer = async (id: string | number | null) => {
    const line = await Promise.race([output.match(new RegExp(`^(.*"id":${JSON.stringify(id)}[,}].*)\n`, 'm')), ended])
    if (typeof line !== 'string') throw new Error(`The server ended without an answer to ${JSON.stringify(id)}: ${errors.all()}`)
    return parseMessage(line)
  }
  await send(initialize(handshake))
  await answer(handshake)
  await send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
  return {
    write,
    send,
    answer,
    messages,
    endInput: (last) => child.stdin.end(last ?? ''),
    terminate: () => child.kill('SIGTERM'),
    exit: () => ended,
    errors: errors.all,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

function parseMessage(line: string): Message {
  const parsed: unknown = JSON.parse(line)
  if (!isMessage(parsed)) throw new Error(`Not a message: ${line}`)
  return parsed
}
