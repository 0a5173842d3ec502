// Writes down what every client pays for: the bytes of tools/list and of the bundle. Run after a build.
import { execFileSync } from 'node:child_process'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const root = path.dirname(import.meta.dirname)

const weigh = (app: string) => {
  const dist = path.join(root, 'apps', app, 'dist')
  const list = execFileSync(process.execPath, [path.join(dist, 'main.js'), 'tools', '--json'], { encoding: 'utf8' }).trim()
  const bundle = readdirSync(dist)
    .filter((name) => name.endsWith('.js'))
    .reduce((sum, name) => sum + statSync(path.join(dist, name)).size, 0)
  return { tools_list_bytes: Buffer.byteLength(list), bundle_bytes: bundle }
}

const baseline = Object.fromEntries(['file-storage', 'event-pipeline', 'issue-tracker'].map((app) => [app, weigh(app)]))
writeFileSync(path.join(root, 'benchmarks', 'baseline.json'), `${JSON.stringify(baseline, null, 2)}\n`)
