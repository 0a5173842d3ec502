import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { bundled } from '../scripts/release/bundled.ts'
import { baseEnvironment, temporaryDirectory } from './command.ts'

const root = path.join(import.meta.dirname, '..')

test('a bundle holds what the sources of its app reach, and nothing that only tests use', () => {
  const everywhere = ['core', 'emulator', 'server', 'store']
  expect(Object.fromEntries([...bundled(root)].map(([app, packages]) => [app, [...packages].sort()]))).toEqual({
    'event-pipeline': [...everywhere, 'pipelines-emulator'].sort(),
    'file-storage': [...everywhere, 'drive-emulator'].sort(),
    'issue-tracker': [...everywhere, 'linear-emulator'].sort(),
  })
})

let directory: string

const write = (file: string, content: string) => {
  mkdirSync(path.dirname(path.join(directory, file)), { recursive: true })
  writeFileSync(path.join(directory, file), content)
}
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=e2e', '-c', 'user.email=e2e@example.com', ...args], { cwd: directory, stdio: 'pipe' })
const manifest = (name: string, version = '1.0.0') => `${JSON.stringify({ name: `@mcp-toolkits/${name}`, version })}\n`
const changeset = (text: string) => {
  write('.changeset/of-this-change.md', text)
}

/** Runs the check: whether it passes, and what it says. */
const check = () => {
  const { status, stderr } = spawnSync(process.execPath, [path.join(root, 'scripts', 'release', 'check.ts')], {
    cwd: directory,
    encoding: 'utf8',
    env: { ...baseEnvironment(), BASE: 'main' },
  })
  const named = [...stderr.matchAll(/^(\S+) is part of @mcp-toolkits\/([\w-]+),/gm)].map(([, file = '', app = '']): [string, string] => [
    app,
    file,
  ])
  return { passes: status === 0, forgotten: Object.fromEntries(named), says: stderr }
}

/** Two apps and three packages: one that both apps bundle through the other, one of a single app, one for tests. */
beforeEach(async () => {
  directory = await temporaryDirectory()
  for (const name of ['deep', 'shared', 'testing']) write(`packages/${name}/package.json`, manifest(name))
  for (const name of ['one', 'two']) write(`apps/${name}/package.json`, manifest(name))
  write('packages/deep/src/index.ts', 'export const deep = 1\n')
  write('packages/shared/src/index.ts', "export { deep } from '@mcp-toolkits/deep'\n")
  write('packages/testing/src/index.ts', 'export {}\n')
  write('apps/one/src/main.ts', "await import('@mcp-toolkits/shared/part')\n")
  write('apps/one/test/main.test.ts', "import '@mcp-toolkits/testing'\n")
  write('apps/two/src/main.ts', "import '@mcp-toolkits/shared'\n")
  write('.changeset/of-an-earlier-change.md', "---\n'@mcp-toolkits/one': minor\n'@mcp-toolkits/two': minor\n---\n\nEarlier.\n")
  git('init', '--quiet', '--initial-branch', 'main')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'before')
  git('checkout', '--quiet', '-b', 'change')
})

test.for(['packages/deep/src/index.ts', 'packages/shared/package.json', 'scripts/bundle/settings.ts', 'pnpm-workspace.yaml'])(
  'a change of %s has to be announced for both apps, committed or not',
  (file) => {
    write(file, '{ "name": "@mcp-toolkits/shared", "changed": true }\n')
    expect(check()).toMatchObject({ passes: false, forgotten: { one: file, two: file } })
    git('add', '--all')
    git('commit', '--quiet', '--message', 'change')
    expect(check().says).toContain('npm run changeset')
    changeset("---\n'@mcp-toolkits/one': patch\n---\n\nA sentence.\n")
    expect(check()).toMatchObject({ passes: false, forgotten: { two: file } })
    changeset('---\n"@mcp-toolkits/one": patch\n"@mcp-toolkits/two": minor\n---\n\nA sentence.\n')
    expect(check()).toMatchObject({ passes: true, says: '' })
  },
)

test('an empty changeset says that no user notices', () => {
  write('packages/deep/src/index.ts', 'export const deep = 1 // the same\n')
  changeset('---\n---\n')
  expect(check()).toMatchObject({ passes: true })
})

test.for(['packages/deep/src/deep.test.ts', 'packages/testing/src/index.ts', 'apps/one/test/main.test.ts', 'docs/page.md'])(
  'a change of %s reaches no user',
  (file) => {
    write(file, 'changed\n')
    expect(check()).toMatchObject({ passes: true, says: '' })
  },
)

test('a change of one app, its page on npm included, concerns that app', () => {
  write('apps/two/README.md', 'changed\n')
  expect(check()).toMatchObject({ passes: false, forgotten: { two: 'apps/two/README.md' } })
})

test('the release itself needs no changeset', () => {
  write('apps/two/package.json', manifest('two', '1.1.0'))
  expect(check()).toMatchObject({ passes: true })
})
