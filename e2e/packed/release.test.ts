import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { packageReleases, readJson, root } from '../../releases/releases.ts'
import { servers } from '../../servers.ts'
import { baseEnvironment, temporaryDirectory } from '../command.ts'

const script = path.join(root, 'scripts', 'release', 'check-changeset.ts')
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

const check = () => spawnSync(process.execPath, [script], { cwd: directory, encoding: 'utf8', env: { ...baseEnvironment(), BASE: 'main' } })

test.for([
  [`apps/${first?.name ?? ''}/src/main.ts`, [first?.packageName ?? ''], [second?.packageName ?? '']],
  [
    `${first?.emulatorFolder ?? ''}/src/index.ts`,
    [first?.packageName ?? '', `@mcp-toolkits/${first?.emulator ?? ''}`],
    [first?.packageName ?? '', second?.packageName ?? ''],
  ],
  ['packages/core/src/upstream/attempts.ts', [second?.packageName ?? ''], undefined],
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

test('tests and documentation need no changeset', () => {
  for (const file of ['packages/core/src/upstream/retry.test.ts', 'packages/testing/src/index.ts', 'docs/page.md']) write(file, 'changed\n')
  expect(check().status).toBe(0)
})

test('changesets can raise the versions of exactly the published packages', () => {
  const manifests = globSync(
    ['package.json', 'pnpm-workspace.yaml', '{apps,packages,packages/emulators,lab,e2e}/{package.json,*/package.json}', '.changeset/*'],
    {
      cwd: root,
      exclude: (name) => name === 'node_modules',
    },
  )
  for (const file of manifests) write(file, readFileSync(path.join(root, file), 'utf8'))
  symlinkSync(path.join(root, 'node_modules'), path.join(directory, 'node_modules'), 'junction')
  write('.changeset/all.md', changeset(...packageReleases.map(({ packageName }) => packageName)))
  const cli = path.join(root, 'scripts', 'node_modules', '@changesets', 'cli', 'bin.js')
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'version'], {
    cwd: directory,
    encoding: 'utf8',
    env: baseEnvironment(),
  })
  expect(status, stdout + stderr).toBe(0)
  const versions = manifests
    .filter((file) => path.basename(file) === 'package.json')
    .flatMap((file) => {
      const [before, after] = [root, directory].map((base) => readJson(path.join(base, file)))
      return before?.['version'] === after?.['version'] ? [] : [String(after?.['name'])]
    })
  expect(versions.sort()).toEqual(packageReleases.map(({ packageName }) => packageName).sort())
})
