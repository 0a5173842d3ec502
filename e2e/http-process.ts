import { once } from 'node:events'
import { request, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { modern, schemaCall, type HttpRequest } from '../packages/testing/src/processes/protocol.ts'
import { exitOf, program, startNode, temporaryDirectory } from './command.ts'
import { collectOutput } from '../packages/testing/src/processes/process.ts'

export { collectOutput } from '../packages/testing/src/processes/process.ts'

/** A server process that serves HTTP on a free port, with its own data directory. */
export interface HttpProcess extends AsyncDisposable {
  /** The server's URL, which ends in `/mcp`. */
  readonly url: string
  readonly sendRequest: (request?: HttpRequest) => Promise<HttpResponse>
  readonly terminate: (signal?: NodeJS.Signals) => void
  /** Resolves with the exit code when the process has ended. */
  readonly exit: () => Promise<number | null>
  /** Everything that the process has written to standard output. */
  readonly output: () => string
  readonly errors: () => string
  /** Waits for a match in standard error, and resolves with its first group. */
  readonly seen: (wanted: RegExp) => Promise<string>
}

export interface HttpResponse {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface ServeOptions {
  readonly args?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** The program to start; the built command by default. */
  readonly main?: string
}

/** Number of calls in a server's log. */
export const callsLogged = ({ errors }: HttpProcess): number => errors().match(/"message":"call"/g)?.length ?? 0

/** A request that would run a tool, with one header changed. */
export function calling(headers: Readonly<Record<string, string>>) {
  const request = modern(1, 'tools/call', schemaCall())
  return { ...request, headers: { ...request.headers, ...headers } }
}

/** Starts `<command> http` and waits for its address. */
export async function startHttp({ args = ['--embedded'], environment = {}, main = program }: ServeOptions = {}): Promise<HttpProcess> {
  const dataDirectory = await temporaryDirectory()
  const child = startNode([main, 'http', '--port', '0', '--data-dir', dataDirectory, ...args], environment)
  const [output, errors] = [collectOutput(child.stdout), collectOutput(child.stderr)]
  const ended = exitOf(child)
  const url = await Promise.race([errors.match(/ serves (http:\/\/\S+)\n/), ended])
  if (typeof url !== 'string') throw new Error(`The server did not start: ${errors.all()}`)
  return {
    url,
    sendRequest: (request = {}) => send(url, request),
    terminate: (signal = 'SIGTERM') => child.kill(signal),
    exit: () => ended,
    output: output.all,
    errors: errors.all,
    seen: (wanted) => errors.match(wanted),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

async function send(base: string, { method = 'POST', path: at = '/mcp', headers = {}, body }: HttpRequest): Promise<HttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>()
  const outgoing = request(new URL(at, base), { method, headers, agent: false }, (incoming) => {
    text(incoming).then((read) => {
      resolve({ status: incoming.statusCode, headers: incoming.headers, body: read })
    }, reject)
  })
  outgoing.once('error', reject)
  outgoing.end(body)
  return promise
}

/** True if connections are refused. */
export async function refusesConnections(url: string): Promise<boolean> {
  const probe = request(url, { method: 'HEAD', agent: false })
  probe.end()
  const answered = once(probe, 'response').then(
    () => false,
    () => true,
  )
  const refused = await answered
  probe.destroy()
  return refused
}
