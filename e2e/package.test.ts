import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import baseline from '../benchmarks/baseline.json' with { type: 'json' }
import { loadedAtStart } from '../benchmarks/loaded.ts'

const root = path.join(import.meta.dirname, '..')

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
  let directory = ''
  let installed = ''
  let program = ''

  /** What `npm publish` would upload, unpacked where an installation puts it. */
  beforeAll(() => {
    directory = realpathSync(mkdtempSync(path.join(tmpdir(), 'package-')))
    const { packageManager } = readJson(path.join(root, 'package.json'))
    execFileSync('npx', ['-y', String(packageManager), 'pack', '--pack-destination', directory], {
      cwd: path.join(root, 'apps', app),
      stdio: 'ignore',
    })
    const [tarball = ''] = readdirSync(directory)
    installed = path.join(directory, 'node_modules', '@mcp-toolkits', app)
    program = path.join(installed, 'dist', 'main.js')
    mkdirSync(installed, { recursive: true })
    execFileSync('tar', ['xzf', path.join(directory, tarball), '-C', installed, '--strip-components=1'])
  })
  afterAll(() => {
    rmSync(directory, { recursive: true })
  })

  const run = (...args: string[]) =>
    execFileSync(process.execPath, [program, ...args], { cwd: directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

  test('the package needs no other package and holds only what it runs', () => {
    const manifest = readJson(path.join(installed, 'package.json'))
    expect(manifest).not.toHaveProperty('dependencies')
    expect(manifest).toMatchObject({ bin: { [`${app}-mcp`]: './dist/main.js' }, engines: { node: '>=22.19' } })
    expect(JSON.stringify(manifest)).not.toMatch(/workspace:|catalog:/)
    expect(readdirSync(installed).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json'])
  })

  test('installed alone, away from the workspace, its command works', () => {
    expect(run('tools').trim().split('\n').length).toBe(tools)
    expect(run('call', ...call, '--data-dir', path.join(directory, 'data'))).toContain(answer)
    expect(parsed(run('config', 'cursor'))).toEqual({
      mcpServers: { [nickname]: { command: 'npx', args: ['-y', `@mcp-toolkits/${app}`] } },
    })
  })

  test('the bundle and tools/list weigh what the baseline says', () => {
    const modules = readdirSync(path.join(installed, 'dist')).filter((name) => name.endsWith('.js'))
    const files = modules.map((name) => statSync(path.join(installed, 'dist', name)).size)
    const bundle = files.reduce((sum, bytes) => sum + bytes, 0)
    const { bundle_bytes: expected, tools_list_bytes: listed } = baseline[app]
    expect(Buffer.byteLength(run('tools', '--json').trim()), 'Run npm run bench after a change that is meant.').toBe(listed)
    expect(Math.abs(bundle - expected) / expected, `The bundle has ${bundle} bytes, the baseline ${expected}.`).toBeLessThan(0.02)
  })

  test('a command that serves nobody loads neither the emulator, nor the HTTP server, nor the vendor’s client, nor schemas', () => {
    const trace = execFileSync(process.execPath, ['--import', tracer, program, 'tools'], { encoding: 'utf8' })
    const lines = trace.split('\n').filter((line) => line.startsWith('loaded '))
    const everything = lines.map((line) => readFileSync(line.slice('loaded '.length), 'utf8')).join('\n')
    expect(lines.length).toBeGreaterThan(1)
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

/** Prints the path of every file of the package that is loaded. */
const tracer = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({ load(url, context, next) {
    if (url.startsWith('file:')) console.log('loaded ' + new URL(url).pathname)
    return next(url, context)
  } })
`)}`

function readJson(file: string): Record<string, unknown> {
  return Object.assign({}, parsed(readFileSync(file, 'utf8')))
}

function parsed(text: string): unknown {
  return JSON.parse(text)
}
