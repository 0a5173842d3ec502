import { afterAll, beforeAll, expect, test } from 'vitest'
import { clients, type Target } from './clients.ts'
import { program, temporaryDirectory } from './command.ts'
import { trackTool } from '../packages/testing/src/processes/protocol.ts'
import { startHttp, type HttpProcess } from './http-process.ts'

let server: HttpProcess
let dataDirectory: string
const targets: Readonly<Record<string, () => Target>> = {
  stdio: () => ({ args: [program, '--embedded', '--data-dir', dataDirectory, '--log-level', 'error'] }),
  HTTP: () => ({ url: server.url }),
}
const passed = new Set<string>()

beforeAll(async () => {
  dataDirectory = await temporaryDirectory()
  server = await startHttp()
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
  const transports = Object.keys(targets)
  const rows = Object.keys(clients).map((client) => [
    client,
    ...transports.map((transport) => (passed.has(`${client} ${transport}`) ? 'yes' : 'NO')),
  ])
  const lines = [['', ...transports], ...rows].map(
    ([client = '', ...cells]) => client.padEnd(22) + cells.map((cell) => cell.padEnd(7)).join(''),
  )
  process.stdout.write(`\n${lines.join('\n')}\n${passed.size} of ${rows.length * transports.length}\n\n`)
})

const matrix = Object.entries(clients).flatMap(([name, connect]) =>
  Object.entries(targets).map(([transport, target]) => ({ name, transport, connect, target })),
)

test.for(matrix)(
  '$name over $transport lists the tools, reads a schema and sends an event',
  async ({ name, transport, connect, target }) => {
    await using client = await connect(target())
    const names = await client.names()
    expect(names).toHaveLength(7)
    expect(names).toContain(trackTool)
    expect(await client.call(trackTool, { mode: 'get_request_schema' })).toMatchObject({ openapi: { openapi: '3.1.0' } })
    const event = { mode: 'execute', request_body: '{"userId":"u1","event":"Paid"}' }
    expect(await client.call(trackTool, event)).toMatchObject({ outcome: 'delivered', upstream: 'embedded: nothing left this machine' })
    passed.add(`${name} ${transport}`)
  },
)
