import { cpSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { publint } from 'publint'
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { emulatorReleases, readJson, root } from '../../releases/releases.ts'
import { runNode, startNode, temporaryDirectory } from '../command.ts'
import { shareOf } from '../../packages/testing/src/runs.ts'
import { collectOutput } from '../../packages/testing/src/processes/process.ts'
import { filesIn, installedIn } from './pack-once.ts'

const Started = z.object({ url: z.string(), control: z.string(), controlToken: z.string(), workspace: z.string() })

/** A project with every packed emulator, Vitest and Node's types. */
let project = ''

beforeAll(async () => {
  project = realpathSync(await temporaryDirectory())
  const link = (target: string, name: string) => {
    const place = path.join(project, 'node_modules', name)
    mkdirSync(path.dirname(place), { recursive: true })
    symlinkSync(realpathSync(target), place, 'junction')
  }
  link(path.join(root, 'node_modules', 'vitest'), 'vitest')
  link(path.join(root, 'node_modules', '@types', 'node'), '@types/node')
  for (const { name } of emulatorReleases)
    cpSync(installedIn(inject('installation'), name), path.join(project, 'node_modules', '@mcp-toolkits', name), { recursive: true })
  writeFileSync(path.join(project, 'package.json'), JSON.stringify({ type: 'module', private: true }))
})

/** The programs in a package's README. */
const programs = (folder: string) =>
  [...readFileSync(path.join(folder, 'README.md'), 'utf8').matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, text = '']) => text)

describe.for(emulatorReleases)('$name', ({ name, packageName, folder }) => {
  const at = (...parts: string[]) => installedIn(inject('installation'), name, ...parts)

  test('contains its bundle, declarations, licences and schema, and needs no other package', () => {
    const others = filesIn(at()).filter((file) => !file.endsWith('.js'))
    expect(others).toEqual(
      [
        'LICENSE',
        'README.md',
        'dist/THIRD-PARTY-LICENSES.txt',
        'dist/index.d.ts',
        'dist/sbom.cdx.json',
        'dist/vitest.d.ts',
        'package.json',
        'seed.schema.json',
      ].sort(),
    )
    const manifest = readJson(at('package.json'))
    expect(manifest).toMatchObject({
      name: packageName,
      bin: { [name]: './dist/main.js' },
      engines: { node: '>=22.19' },
      peerDependenciesMeta: { vitest: { optional: true } },
    })
    expect(manifest).not.toHaveProperty('dependencies')
    expect(JSON.stringify(manifest)).not.toMatch(/workspace:|catalog:|\.\/src/)
  })

  test('explains every option on its page', async () => {
    const { output } = await runNode([at('dist', 'main.js'), '--help'])
    const optionsIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, option]) => option).sort()
    const explained = optionsIn(readFileSync(at('README.md'), 'utf8'), /^- `(--[a-z-]+)/gm)
    expect(explained.concat('--help').sort()).toEqual(optionsIn(output, /^ {2}(--[a-z-]+)/gm))
  })

  test('publint finds nothing', async () => {
    expect((await publint({ pkgDir: at(), pack: false, strict: true })).messages).toEqual([])
  })

  test('its command serves, with data in a separate directory', async () => {
    const home = await temporaryDirectory()
    const variables = { HOME: home, XDG_DATA_HOME: path.join(home, 'share') }
    const child = startNode([at('dist', 'main.js'), '--port', '0', '--json'], variables)
    onTestFinished(() => void child.kill())
    const line: unknown = JSON.parse(await collectOutput(child.stdout).match(/^(\{.*\})\n/))
    const { control, controlToken, workspace } = Started.parse(line)
    expect(await (await fetch(`${control}/health`)).json()).toMatchObject({ status: 'ok' })
    expect((await fetch(workspace)).status).toBe(200)
    const headers = { authorization: `Bearer ${controlToken}` }
    expect((await fetch(`${control}/reset`, { method: 'POST', headers })).status).toBe(200)
    expect(filesIn(path.join(home, 'share')).filter((file) => file.endsWith('.db'))).toEqual([
      `${name}/${name.replace('-emulator', '')}.db`,
    ])
  })

  test('the program on its page prints what the page says', async () => {
    const [library = ''] = programs(folder)
    writeFileSync(path.join(project, `${name}.ts`), library)
    const comments = [...library.matchAll(/console\.log\(.*\/\/ (.*)$/gm)].map(([, shown = '']) =>
      shown.replace(/,.*/, (rest) => (rest.includes(']') ? rest : '')),
    )
    expect(comments.length).toBeGreaterThan(0)
    const { code, output, errors } = await runNode([path.join(project, `${name}.ts`)], { directory: project })
    expect({ code, errors, lines: output.trim().split('\n') }).toEqual({ code: 0, errors: '', lines: comments })
  })
})

// All packages are made in the same way.
const resolved = shareOf(emulatorReleases, 3, 0)

test.for(resolved)('attw finds nothing in $name', async ({ tarball }) => {
  const attw = path.join(path.dirname(fileURLToPath(import.meta.resolve('@arethetypeswrong/cli/package.json'))), 'dist', 'index.js')
  const options = ['--profile', 'esm-only', '--no-definitely-typed', '--format', 'ascii', '--exclude-entrypoints', 'seed.schema.json']
  const { code, output } = await runNode([attw, tarball, ...options])
  expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' })
})

test('the programs on all pages compile, and their tests pass', { timeout: 120_000 }, async () => {
  for (const { name, folder } of emulatorReleases) {
    const [library = '', fixture = ''] = programs(folder)
    writeFileSync(path.join(project, `${name}.ts`), library)
    writeFileSync(path.join(project, `${name}.test.ts`), fixture)
  }
  const settings = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2024', '--module', 'nodenext', '--types', 'node']
  const tests = emulatorReleases.map(({ name }) => `${name}.test.ts`)
  const files = [...emulatorReleases.map(({ name }) => `${name}.ts`), ...tests]
  const compiler = path.join(root, 'node_modules', 'typescript-7', 'bin', 'tsc')
  expect(await runNode([compiler, ...settings, ...files], { directory: project })).toMatchObject({ code: 0, output: '' })
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const ran = await runNode([vitest, 'run', ...tests, '--reporter', 'json', '--outputFile', 'report.json'], { directory: project })
  expect(ran.code, ran.output + ran.errors).toBe(0)
  expect(readJson(path.join(project, 'report.json'))).toMatchObject({ success: true, numPassedTests: tests.length })
})
