import { exitOf, start, temporaryDirectory } from './command.ts'
import { initialize, isMessage, type Message } from './protocol.ts'
import { collected } from './serving.ts'

/** The built command over its bare pipes. */
export interface Piped extends AsyncDisposable {
  /** Writes bytes as they are; resolves once the pipe has taken them. */
  readonly write: (text: string) => Promise<void>
  /** Writes a line. */
  readonly send: (line: string) => Promise<void>
  /** Resolves with the first message that has this id. */
  readonly answer: (id: string | number | null) => Promise<Message>
  /** All messages so far, without the answer to the handshake; throws if anything else is on standard output. */
  readonly messages: () => Message[]
  readonly endInput: (last?: string) => void
  readonly terminate: () => void
  readonly exit: () => Promise<number | null>
  readonly errors: () => string
}

const handshake = 'handshake'

/** Starts the command over stdio and shakes hands. */
export async function pipe(environment: Readonly<Record<string, string>> = { MCP_TOOLKITS_EMBEDDED: '1' }): Promise<Piped> {
  const dataDirectory = await temporaryDirectory()
  const child = start(['--data-dir', dataDirectory], environment)
  const [output, errors] = [collected(child.stdout), collected(child.stderr)]
  const ended = exitOf(child)
  child.stdin.on('error', () => undefined)
  const messages = () =>
    output
      .all()
      .split('\n')
      .slice(0, -1)
      .map(asMessage)
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
    if (typeof line !== 'string') throw new Error(`It ended without an answer to ${JSON.stringify(id)}: ${errors.all()}`)
    return asMessage(line)
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

function asMessage(line: string): Message {
  const parsed: unknown = JSON.parse(line)
  if (!isMessage(parsed)) throw new Error(`This is no message: ${line}`)
  return parsed
}
