// The workflows' steps, in a copy of the workspace whose packages have a version, with its own registry and programs.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { emulatorReleases, packageReleases, packed, readJson, releases, root } from '../../releases/releases.ts'
import { baseEnvironment, runNode, temporaryDirectory } from '../command.ts'

const version = '1.2.3'
const copied = [
  '{package.json,servers.ts,releases/releases.ts,scripts/release/*.ts}',
  '{apps,packages/emulators,lab}/*/{package.json,Dockerfile,src/generated/tools.ts}',
]
const names = packageReleases.map(({ name }) => name)

let workspace: string
const write = (file: string, text: string) => {
  mkdirSync(path.dirname(path.join(workspace, file)), { recursive: true })
  writeFileSync(path.join(workspace, file), text)
}

beforeEach(async () => {
  workspace = await temporaryDirectory()
  for (const file of globSync(copied, { cwd: root })) cpSync(path.join(root, file), path.join(workspace, file))
  for (const { folder } of packageReleases) {
    const place = path.relative(root, folder)
    write(`${place}/package.json`, JSON.stringify({ ...readJson(path.join(folder, 'package.json')), version }))
    write(`${place}/CHANGELOG.md`, `# Changes\n\n## ${version}\n\nNew in ${place}.\n\n## 1.2.2\n\nOld.\n`)
  }
  for (const folder of ['.changeset', 'bin', 'packed']) mkdirSync(path.join(workspace, folder))
})

/** The environment of a step, in which the workspace's programs are found first. */
function variables(): Record<string, string> {
  const { PATH = '', ...others } = baseEnvironment()
  return { ...others, PATH: `${path.join(workspace, 'bin')}${path.delimiter}${PATH}`, HOME: workspace }
}

async function runScript(name: string, more: Readonly<Record<string, string>>): Promise<string> {
  const script = path.join(workspace, 'scripts', 'release', name)
  const { code, output, errors } = await runNode([script], { environment: { ...variables(), ...more } })
  expect(code, errors).toBe(0)
  return output
}

/** A registry with this version of some packages. */
async function openRegistry(published: readonly string[]): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const isPublished = published.includes(decodeURIComponent(url.slice(1)))
    response.writeHead(isPublished ? 200 : 404).end(JSON.stringify(isPublished ? { versions: { [version]: {} } } : { error: 'not found' }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`
}

async function plan(npm_config_registry: string) {
  write('output', '')
  const text = await runScript('plan.ts', { npm_config_registry, GITHUB_OUTPUT: path.join(workspace, 'output') })
  return { text, output: readFileSync(path.join(workspace, 'output'), 'utf8') }
}

test('plans what the registry lacks, and no package while a changeset of any waits', async () => {
  const [first, ...others] = packageReleases.map(({ packageName }) => packageName)
  const registry = await openRegistry([first ?? ''])
  expect((await plan(registry)).output).toBe(`version=false\npackages=${JSON.stringify(names.slice(1))}\n`)
  write('.changeset/change.md', `---\n'${first ?? ''}': patch\n---\n\nA sentence.\n`)
  const { text, output } = await plan(registry)
  expect(output).toBe('version=true\npackages=[]\n')
  expect(text).toContain(`Changesets wait for ${first ?? ''}`)
  for (const name of others) expect(text).toContain(`::warning::${name}@${version} is not on the registry`)
})

test('makes each release on GitHub once, also after a run that was interrupted', async () => {
  symlinkSync(path.join(import.meta.dirname, 'gh.ts'), path.join(workspace, 'bin', 'gh'))
  for (const { name } of releases) write(`packed/${name}-${version}.mcpb`, '')
  const draft = { tag: `${releases[0]?.packageName ?? ''}@${version}`, isDraft: true, files: [], notes: '' }
  write('releases.json', JSON.stringify([draft]))
  for (const made of [packageReleases.length, 0]) {
    const output = await runScript('github.ts', { PACKAGES: JSON.stringify(names) })
    expect(output.match(/\/releases\/tag\//g) ?? []).toHaveLength(made)
    expect(JSON.parse(readFileSync(path.join(workspace, 'releases.json'), 'utf8'))).toEqual(
      packageReleases.map(({ name, packageName, folder, bundle }) => ({
        tag: `${packageName}@${version}`,
        isDraft: false,
        files: bundle === undefined ? [] : [`${name}-${version}.mcpb`],
        notes: `New in ${path.relative(root, folder)}.`,
      })),
    )
  }
})

const Workflow = z.object({ jobs: z.record(z.string(), z.object({ steps: z.array(z.object({ run: z.string().optional() })) })) })

test('builds an image of every packed server and emulator', () => {
  const { jobs } = Workflow.parse(parse(readFileSync(path.join(root, '.github', 'workflows', 'ci.yml'), 'utf8')))
  const script = jobs['image']?.steps.flatMap(({ run = [] }) => run).join('\n') ?? ''
  cpSync(packed, path.join(workspace, 'packed'), { recursive: true })
  write('bin/docker', '#!/bin/sh\necho "$@" >> "$HOME/docker.txt"\n')
  chmodSync(path.join(workspace, 'bin', 'docker'), 0o755)
  execFileSync('bash', ['-e', '-c', script], { cwd: workspace, env: variables(), stdio: 'pipe' })
  const started = readFileSync(path.join(workspace, 'docker.txt'), 'utf8').matchAll(/^run --rm --read-only (\S+)/gm)
  const images = [...releases.flatMap(({ name }) => [name, `${name}-package`]), ...emulatorReleases.map(({ name }) => name)]
  expect([...started].map(([, image]) => image).sort()).toEqual(images.sort())
})
