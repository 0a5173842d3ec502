import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { servers } from '../../servers.ts'
import { baseEnvironment, temporaryDirectory } from '../command.ts'

const release = path.join(import.meta.dirname, '..', '..', 'scripts', 'release')
const [first, second] = servers
const changeset = (...packages: readonly string[]) => `---\n${packages.map((name) => `'${name}': patch\n`).join('')}---\n\nA sentence.\n`

let directory: string
const write = (file: string, content: string) => {
  mkdirSync(path.dirname(path.join(directory, file)), { recursive: true })
  writeFileSync(path.join(directory, file), content)
}
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=e2e', '-c', 'user.email=e2e@example.com', ...args], { cwd: directory, stdio: 'pipe' })

beforeEach(async () => {
  directory = await temporaryDirectory()
  write('.changeset/README.md', 'Not a changeset.\n')
  git('init', '--quiet', '--initial-branch', 'main')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'before')
})

const check = () => {
  const environment = { ...baseEnvironment(), BASE: 'main' }
  return spawnSync(process.execPath, [path.join(release, 'check-changeset.ts')], { cwd: directory, encoding: 'utf8', env: environment })
}

test.for([
  [`apps/${first?.name ?? ''}/src/main.ts`, [first?.packageName ?? ''], [second?.packageName ?? '']],
  [`packages/${first?.emulator ?? ''}/src/index.ts`, [first?.packageName ?? ''], [second?.packageName ?? '']],
  ['packages/core/src/http.ts', [second?.packageName ?? ''], undefined],
] as const)('a change of %s needs a changeset', ([file, right, wrong]) => {
  write(file, 'changed\n')
  const { status, stderr } = check()
  expect([status, stderr]).toEqual([1, expect.stringContaining('npm run changeset')])
  if (wrong) write('.changeset/change.md', changeset(...wrong))
  expect(check().status).toBe(1)
  write('.changeset/change.md', changeset(...right))
  expect(check()).toMatchObject({ status: 0, stderr: '' })
  write('.changeset/change.md', changeset())
  expect(check().status).toBe(0)
})

test.for(['packages/core/src/http.test.ts', 'packages/testing/src/index.ts', 'docs/page.md'])(
  'a change of %s needs no changeset',
  (file) => {
    write(file, 'changed\n')
    expect(check().status).toBe(0)
  },
)

let registry: Server
beforeAll(async () => {
  registry = createServer((_request, response) => response.end('{"versions":{"1.0.0":{}}}'))
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve))
})
afterAll(() => registry.close())

test('the plan is a pull request for servers with changesets', async () => {
  write('.changeset/change.md', changeset(first?.packageName ?? ''))
  const address = registry.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`
  const output = path.join(directory, 'output')
  const environment = { ...baseEnvironment(), npm_config_registry: url, GITHUB_OUTPUT: output, WORKSPACE: directory }
  const { stdout } = await promisify(execFile)(process.execPath, [path.join(release, 'plan.ts')], { env: environment })
  expect(stdout).toContain(`Changesets wait for ${first?.packageName ?? ''}`)
  expect(readFileSync(output, 'utf8')).toMatch(/^version=true\nservers=/)
})
