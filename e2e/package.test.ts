import { execFile, execFileSync } from 'node:child_process'
import { readFileSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import baseline from '../benchmarks/baseline.json' with { type: 'json' }
import { loadedAtStart, loadedBy } from '../benchmarks/loaded.ts'
import { pack, readJson, type Packed } from './packed.ts'

const apps = [
  {
    app: 'event-pipeline',
    nickname: 'events',
    tools: 7,
    call: ['TrackUserEvent', JSON.stringify({ mode: 'execute', request_body: '{"userId":"u","event":"E"}' })],
    answer: '"outcome": "delivered"',
  },
  { app: 'issue-tracker', nickname: 'tracker', tools: 36, call: ['GetIssue', '{"issue_id":"ENG-1"}'], answer: '"identifier": "ENG-1"' },
  {
    app: 'file-storage',
    nickname: 'files',
    tools: 11,
    call: ['SearchFiles', '{"query":"report","limit":1}'],
    answer: '"order": "relevance"',
  },
] as const

describe.for(apps)('$app', ({ app, nickname, tools, call, answer }) => {
  let packed: Packed
  let program: string

  beforeAll(() => {
    packed = pack(app)
    program = path.join(packed.installed, 'dist', 'main.js')
  })
  afterAll(() => {
    rmSync(packed.directory, { recursive: true })
  })

  const run = (...args: string[]) =>
    execFileSync(process.execPath, [program, ...args], { cwd: packed.directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

  test('the package needs no other package', () => {
    const manifest = readJson(path.join(packed.installed, 'package.json'))
    expect(manifest).not.toHaveProperty('dependencies')
    expect(manifest).toMatchObject({ bin: { [`${app}-mcp`]: './dist/main.js' }, engines: { node: '>=22.19' } })
    expect(JSON.stringify(manifest)).not.toMatch(/workspace:|catalog:/)
  })

  test('installed alone, away from the workspace, its command works', () => {
    expect(run('tools').trim().split('\n').length).toBe(tools)
    expect(run('call', ...call, '--data-dir', path.join(packed.directory, 'data'))).toContain(answer)
    expect(parsed(run('config', 'cursor'))).toEqual({
      mcpServers: { [nickname]: { command: 'npx', args: ['-y', `@mcp-toolkits/${app}`] } },
    })
  })

  test('the bundle and tools/list weigh what the baseline says', () => {
    const modules = packed.files.filter((file) => file.startsWith('dist/') && file.endsWith('.js'))
    const bundle = modules.reduce((sum, file) => sum + statSync(path.join(packed.installed, file)).size, 0)
    const { bundle_bytes: expected, tools_list_bytes: listed } = baseline[app]
    expect(Buffer.byteLength(run('tools', '--json').trim()), 'Run npm run bench after a change that is meant.').toBe(listed)
    expect(Math.abs(bundle - expected) / expected, `The bundle has ${bundle} bytes, the baseline ${expected}.`).toBeLessThan(0.02)
  })

  test('a command that serves nobody loads neither the emulator, nor the HTTP server, nor the vendor’s client, nor schemas', async () => {
    const loaded = await loadedBy((env) => promisify(execFile)(process.execPath, [program, 'tools'], { env }))
    const everything = loaded.map((file) => readFileSync(file, 'utf8')).join('\n')
    expect(loaded.length).toBeGreaterThan(1)
    const found = ['node:sqlite', 'node:http', 'X-Retry-Count', 'ZodObject'].filter((marker) => everything.includes(marker))
    expect(found).toEqual([])
  })

  test('a start up to tools/list loads what the baseline says, and nothing that only calls need', async () => {
    const loaded = await loadedAtStart(program)
    const bytes = loaded.reduce((sum, file) => sum + statSync(file).size, 0)
    const { start_files: expectedFiles, start_bytes: expected } = baseline[app]
    expect(loaded.length, `Loaded: ${loaded.map((file) => path.basename(file)).join(', ')}.`).toBe(expectedFiles)
    expect(Math.abs(bytes - expected) / expected, `A start loads ${bytes} bytes, by the baseline ${expected}.`).toBeLessThan(0.02)
    const everything = loaded.map((file) => readFileSync(file, 'utf8')).join('\n')
    const markers = ['node:sqlite', 'node:http', 'X-Retry-Count', 'createHash']
    expect(markers.filter((marker) => everything.includes(marker))).toEqual([])
  })
})

function parsed(text: string): unknown {
  return JSON.parse(text)
}
