import { once } from 'node:events'
import { request, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { exitOf, program, startNode, temporaryDirectory } from './command.ts'

/** A server process that serves HTTP on a free port, with a data directory of its own. */
export interface Serving extends AsyncDisposable {
  /** Ends in `/mcp`. */
  readonly url: string
  readonly ask: (asked?: Asked) => Promise<Answered>
  readonly terminate: () => void
  /** Resolves with the exit code when the process has ended. */
  readonly exit: () => Promise<number | null>
  /** All that it has written so far. */
  readonly output: () => string
  readonly errors: () => string
}

/** A request as it goes over the wire: `fetch` would neither send another `Host` nor an `Origin`. */
export interface Asked {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Answered {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface ServeOptions {
  readonly args?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** What is started instead of the built command. */
  readonly main?: string
}

/** Starts `<command> http` and waits until it says where it serves. */
export async function serve({ args = ['--embedded'], environment = {}, main = program }: ServeOptions = {}): Promise<Serving> {
  const dataDirectory = await temporaryDirectory()
  const child = startNode([main, 'http', '--port', '0', '--data-dir', dataDirectory, ...args], environment)
  const [output, errors] = [collected(child.stdout), collected(child.stderr)]
  const ended = exitOf(child)
  const url = await Promise.race([errors.match(/ serves (http:\/\/\S+)\n/), ended])
  if (typeof url !== 'string') throw new Error(`It did not start to serve: ${errors.all()}`)
  return {
    url,
    ask: (asked = {}) => ask(url, asked),
    terminate: () => child.kill('SIGTERM'),
    exit: () => ended,
    output: output.all,
    errors: errors.all,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Reads a stream as it comes. */
export function collected(stream: NodeJS.ReadableStream) {
  let all = ''
  const looks = new Set<() => void>()
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    all += chunk
    for (const look of looks) look()
  })
  return {
    all: () => all,
    /** The first group of the first match, once it is there. */
    async match(wanted: RegExp): Promise<string> {
      const { promise, resolve } = Promise.withResolvers<string>()
      const look = () => {
        const found = wanted.exec(all)?.[1]
        if (found !== undefined) resolve(found)
      }
      looks.add(look)
      look()
      return promise.finally(() => looks.delete(look))
    },
  }
}

async function ask(base: string, { method = 'POST', path: at = '/mcp', headers = {}, body }: Asked): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>()
  const outgoing = request(new URL(at, base), { method, headers, agent: false }, (incoming) => {
    text(incoming).then((read) => {
      resolve({ status: incoming.statusCode, headers: incoming.headers, body: read })
    }, reject)
  })
  outgoing.once('error', reject)
  outgoing.end(body)
  return promise
}

/** Whether nobody takes connections there any more. */
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
