// Measures what every client pays for: the bytes of tools/list and of the bundle, and how much of it a start loads. Run after a build.
// The ceilings are in e2e/packed/package.test.ts.
import { execFileSync } from 'node:child_process'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { servers } from '../../servers.ts'
import { traceStart } from '../../packages/testing/src/processes/loaded-files.ts'

const root = path.join(import.meta.dirname, '..', '..')

const sizeOf = (files: readonly string[]) => files.reduce((sum, file) => sum + statSync(file).size, 0)

const scriptsIn = (dist: string) =>
  readdirSync(dist)
    .filter((name) => name.endsWith('.js'))
    .map((name) => path.join(dist, name))

async function weigh(app: string) {
  const dist = path.join(root, 'apps', app, 'dist')
  const main = path.join(dist, 'main.js')
  const list = execFileSync(process.execPath, [main, 'tools', '--json'], { encoding: 'utf8' }).trim()
  const loaded = await traceStart(main)
  return {
    tools_list_bytes: Buffer.byteLength(list),
    bundle_bytes: sizeOf(scriptsIn(dist)),
    start_files: loaded.length,
    start_bytes: sizeOf(loaded),
  }
}

const weights = Object.fromEntries(await Promise.all(servers.map(async ({ name }) => [name, await weigh(name)] as const)))
writeFileSync(path.join(root, 'lab', 'benchmarks', 'weight.json'), `${JSON.stringify(weights, null, 2)}\n`)
console.table(weights)
