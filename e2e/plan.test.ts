import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { baseEnvironment, temporaryDirectory } from './command.ts'

const scripts = path.join(import.meta.dirname, '..', 'scripts', 'release')

let directory: string
let registry: Server
/** What the registry has, as `one@1.0.0`. */
let published: Set<string>

const write = (file: string, content: string) => {
  mkdirSync(path.dirname(path.join(directory, file)), { recursive: true })
  writeFileSync(path.join(directory, file), content)
}
const version = (app: string, number: string) => {
  write(`apps/${app}/package.json`, JSON.stringify({ name: `@mcp-toolkits/${app}`, version: number }))
}
const changeset = (head: string) => {
  write('.changeset/of-this-test.md', `---\n${head}---\n\nA sentence.\n`)
}

/** Runs the plan: what it hands to the workflow, and what it says. */
async function plan() {
  const address = registry.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const output = path.join(directory, 'output')
  rmSync(output, { force: true })
  const env = { ...baseEnvironment(), npm_config_registry: `http://127.0.0.1:${port}`, GITHUB_OUTPUT: output }
  const { stdout } = await promisify(execFile)(process.execPath, [path.join(directory, 'scripts', 'release', 'plan.ts')], { env })
  return { handed: readFileSync(output, 'utf8').trim().split('\n'), says: stdout }
}

beforeEach(async () => {
  directory = await temporaryDirectory()
  cpSync(scripts, path.join(directory, 'scripts', 'release'), { recursive: true })
  write('package.json', '{ "type": "module" }')
  write('.changeset/README.md', 'Not a changeset.\n')
  for (const app of ['one', 'two']) version(app, '1.0.0')
  published = new Set(['one@1.0.0', 'two@1.0.0'])
  registry = createServer((request, response) => {
    const app = request.url?.replace('/@mcp-toolkits%2f', '')
    const versions = [...published].flatMap((each) => (each.startsWith(`${app}@`) ? [each.replace(`${app}@`, '')] : []))
    response.statusCode = versions.length === 0 ? 404 : 200
    response.end(JSON.stringify({ versions: Object.fromEntries(versions.map((each) => [each, {}])) }))
  })
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  await new Promise((resolve) => registry.close(resolve))
})

test('where everything is published and no changeset waits, nothing is to be done', async () => {
  expect(await plan()).toEqual({ handed: ['version=false', 'servers=[]'], says: 'Nothing is to be done.\n' })
  changeset('')
  expect(await plan()).toMatchObject({ handed: ['version=false', 'servers=[]'] })
})

test('a version that the registry does not have is published', async () => {
  version('two', '1.1.0')
  expect(await plan()).toMatchObject({ handed: ['version=false', 'servers=["two"]'] })
  published.clear()
  expect(await plan()).toMatchObject({ handed: ['version=false', 'servers=["one","two"]'] })
})

test('it is published although a changeset for another server waits', async () => {
  version('two', '1.1.0')
  changeset("'@mcp-toolkits/one': minor\n")
  expect(await plan()).toMatchObject({ handed: ['version=true', 'servers=["two"]'] })
})

test('where a changeset for itself waits, the commit may hold more than the version says: its own release has to be run again', async () => {
  version('two', '1.1.0')
  changeset("'@mcp-toolkits/two': minor\n")
  const { handed, says } = await plan()
  expect(handed).toEqual(['version=true', 'servers=[]'])
  expect(says).toMatch(/@mcp-toolkits\/two@1\.1\.0 is not on the registry.*Re-run the failed jobs/)
})

test('a server without a version yet is not published', async () => {
  version('two', '0.0.0')
  expect(await plan()).toMatchObject({ handed: ['version=false', 'servers=[]'] })
})
