import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import baseline from '../benchmarks/baseline.json' with { type: 'json' }

const root = path.join(import.meta.dirname, '..')
const app = path.join(root, 'apps', 'event-pipeline')
let directory = ''
let installed = ''

/** What `npm publish` would upload, unpacked where an installation puts it. */
beforeAll(() => {
  directory = realpathSync(mkdtempSync(path.join(tmpdir(), 'package-')))
  const { packageManager } = readJson(path.join(root, 'package.json'))
  execFileSync('npx', ['-y', String(packageManager), 'pack', '--pack-destination', directory], { cwd: app, stdio: 'ignore' })
  const [tarball = ''] = readdirSync(directory)
  installed = path.join(directory, 'node_modules', '@mcp-toolkits', 'event-pipeline')
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['xzf', path.join(directory, tarball), '-C', installed, '--strip-components=1'])
})
afterAll(() => {
  rmSync(directory, { recursive: true })
})

test('the package needs no other package and holds only what it runs', () => {
  const manifest = readJson(path.join(installed, 'package.json'))
  expect(manifest).not.toHaveProperty('dependencies')
  expect(manifest).toMatchObject({ bin: { 'event-pipeline-mcp': './dist/main.js' }, engines: { node: '>=22.19' } })
  expect(JSON.stringify(manifest)).not.toMatch(/workspace:|catalog:/)
  expect(readdirSync(installed).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json'])
  expect(readdirSync(path.join(installed, 'dist')).every((name) => name.endsWith('.js'))).toBe(true)
})

test('installed alone, away from the workspace, its command works', () => {
  const program = path.join(installed, 'dist', 'main.js')
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [program, ...args], { cwd: directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  expect(run('tools').split('\n').length).toBe(8)
  const arguments_ = JSON.stringify({ mode: 'execute', request_body: '{"userId":"u","event":"E"}' })
  expect(run('call', 'TrackUserEvent', arguments_, '--data-dir', path.join(directory, 'data'))).toContain('"outcome": "delivered"')
  expect(JSON.parse(run('config', 'cursor'))).toEqual({
    mcpServers: { events: { command: 'npx', args: ['-y', '@mcp-toolkits/event-pipeline'] } },
  })
})

test('the bundle and tools/list weigh what the baseline says', () => {
  const files = readdirSync(path.join(installed, 'dist')).map((name) => statSync(path.join(installed, 'dist', name)).size)
  const bundle = files.reduce((sum, bytes) => sum + bytes, 0)
  const list = execFileSync(process.execPath, [path.join(installed, 'dist', 'main.js'), 'tools', '--json'], { encoding: 'utf8' })
  const { bundle_bytes: expected, tools_list_bytes: listed } = baseline['event-pipeline']
  expect(Buffer.byteLength(list.trim()), 'Run node benchmarks/baseline.ts after a change that is meant.').toBe(listed)
  expect(Math.abs(bundle - expected) / expected, `The bundle has ${bundle} bytes, the baseline ${expected}.`).toBeLessThan(0.02)
})

test('a start loads neither the emulator, nor the HTTP server, nor the vendor’s client', () => {
  const trace = execFileSync(process.execPath, ['--import', tracer, path.join(installed, 'dist', 'main.js'), 'tools'], { encoding: 'utf8' })
  const loaded = trace
    .split('\n')
    .filter((line) => line.startsWith('loaded '))
    .map((line) => readFileSync(line.slice('loaded '.length), 'utf8'))
  expect(loaded.length).toBeGreaterThan(1)
  const everything = loaded.join('\n')
  const found = ['node:sqlite', 'node:http', 'X-Retry-Count', 'ZodObject'].filter((marker) => everything.includes(marker))
  expect(found).toEqual([])
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
