import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import * as z from 'zod'

/** The server in a separate process, over stdio, with a heap that can be measured. */
export interface ServerProcess extends AsyncDisposable {
  /** The structured result of a call that succeeds. */
  readonly call: (tool: string, args: Readonly<Record<string, unknown>>) => Promise<unknown>
  /** Bytes on the heap after garbage collection. */
  readonly heapUsed: () => Promise<number>
}

/** Measures the heap on a signal, so that the server has no additional request to handle. */
const meter = `data:text/javascript,process.on('SIGUSR2',()=>{gc();process.stderr.write(JSON.stringify({heap_used:process.memoryUsage().heapUsed})+'\\n')})`

const Answer = z.object({
  id: z.int(),
  result: z.looseObject({ isError: z.boolean().optional(), structuredContent: z.unknown().optional() }),
})
const Measured = z.object({ heap_used: z.number() })

/** @param heapMb maximum heap size, in megabytes; a server that needs more crashes */
export async function startServer(environment: Readonly<Record<string, string>>, heapMb: number): Promise<ServerProcess> {
  const directory = await mkdtemp(path.join(tmpdir(), 'issue-tracker-'))
  const flags = ['--expose-gc', `--max-old-space-size=${heapMb}`, '--import', meter]
  const main = path.join(import.meta.dirname, '..', 'src', 'main.ts')
  const child = spawn(process.execPath, [...flags, main, '--data-dir', directory, '--log-level', 'error'], {
    stdio: 'pipe',
    env: { PATH: process.env['PATH'], HOME: directory, ...environment },
  })
  const ended = once(child, 'exit').then(([code]: unknown[]) => Promise.reject(new Error(`The server ended with ${String(code)}.`)))
  ended.catch(() => undefined)
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const reports = createInterface({ input: child.stderr })[Symbol.asyncIterator]()
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  let last = 0
  const ask = async (method: string, params: object) => {
    last += 1
    send({ id: last, method, params })
    for (;;) {
      const { value } = await Promise.race([answers.next(), ended])
      const answer = Answer.safeParse(parsed(value))
      if (answer.data?.id === last) return answer.data.result
    }
  }
  await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'tests', version: '1' } })
  send({ method: 'notifications/initialized' })
  return {
    async call(tool, args) {
      const { isError, structuredContent, ...rest } = await ask('tools/call', { name: tool, arguments: args })
      if (isError === true) throw new Error(`${tool} failed: ${JSON.stringify(rest)}`)
      return structuredContent
    },
    async heapUsed() {
      child.kill('SIGUSR2')
      const { value } = await Promise.race([reports.next(), ended])
      return Measured.parse(parsed(value)).heap_used
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await ended.catch(() => undefined)
      await rm(directory, { recursive: true, force: true })
    },
  }
}

function parsed(line: string | undefined): unknown {
  if (line === undefined) throw new Error('The server says nothing more.')
  return JSON.parse(line)
}
