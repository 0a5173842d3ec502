import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport, type CallToolResult } from '@modelcontextprotocol/client'
import { driveEmulator, type DriveEmulator } from '@mcp-toolkits/drive-emulator'
import { parseError, isFull } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'

const program = path.join(import.meta.dirname, '..', 'src', 'main.ts')
const tree = 'FileStorage.GetFileTreeStructure'
const patience = { timeout: 300_000 }

/** The time that the emulator takes for each page grows with the number of pages. */
const count = isFull ? 100_000 : 10_000
const pages = count / 1_000

/** Makes the tree too large: with many items, or with fewer that have long names. */
function addMore(emulator: DriveEmulator): number {
  const more = isFull ? 40_000 : 3_000
  if (isFull) emulator.addFiles(more)
  else for (let index = 0; index < more; index += 1) emulator.addItem({ name: `${'long '.repeat(600)}${index}` })
  return more
}

/** The server as a separate process that serves HTTP, with the emulator in this process. */
async function served(url: string) {
  const directory = await mkdtemp(path.join(tmpdir(), 'mcp-toolkits-'))
  const environment = { ...process.env, FILE_STORAGE_ACCESS_TOKEN: 'token', FILE_STORAGE_API_URL: url }
  const child = spawn(process.execPath, [program, 'http', '--port', '0', '--data-dir', directory], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const address = Promise.withResolvers<string>()
  let told = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      told += chunk.toString()
      const found = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(told)?.[0]
      if (found !== undefined) address.resolve(found)
    })
  }
  const client = new Client({ name: 'tests', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(new URL(await address.promise)))
  return {
    call: (args: Record<string, unknown>): Promise<CallToolResult> => client.callTool({ name: tree, arguments: args }, patience),
    /** The process's peak memory, in MB. */
    async peak() {
      const status = await readFile(`/proc/${child.pid ?? 0}/status`, 'utf8')
      return Number(/VmHWM:\s*(\d+) kB/.exec(status)?.[1]) / 1024
    },
    async [Symbol.asyncDispose]() {
      await client.close()
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      await rm(directory, { recursive: true, force: true })
    },
  }
}

test(
  `lists a tree of ${count} items over HTTP in ${pages + 2} requests and 450 MB, shows what fits, and refuses a larger one`,
  patience,
  async () => {
    const emulator = driveEmulator({ seed: 'empty', accessToken: 'token' })
    emulator.addFiles(count)
    const listening = await emulator.listen()
    {
      await using server = await served(listening.url)
      const { structuredContent } = await server.call({})
      expect(structuredContent).toMatchObject({ item_count: count, unplaced: [], pagination: { has_more: true } })
      expect(Buffer.byteLength(JSON.stringify(structuredContent))).toBeLessThanOrEqual(80_000)
      expect(JSON.stringify(structuredContent).match(/"id":"1/g)?.length).toBeGreaterThan(800)
      const calls = Object.values(emulator.store.unitsByMethod()).reduce((sum, spent) => sum + spent.calls, 0)
      expect(calls).toBeLessThanOrEqual(pages + 2)
      expect(await server.peak()).toBeLessThanOrEqual(450)

      const all = count + addMore(emulator)
      // The server may have closed the connection meanwhile; the client must notice before it sends anything.
      await setImmediate()
      const { isError, content } = await server.call({})
      const [block] = content
      expect(isError).toBe(true)
      const error = parseError(block?.type === 'text' ? block.text : '')
      expect(error.code).toBe('too_large')
      expect(error.message).toContain(`${all} files and folders`)
      const fitting = await server.call({ ...error.next?.change })
      expect(fitting.isError).not.toBe(true)
      expect(fitting.structuredContent).toMatchObject({ item_count: error.next?.change?.['limit'], pagination: { has_more: true } })
    }
    await listening.close()
    await emulator.close()
  },
)
