import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { cp, readFile, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { runNode, temporaryDirectory } from './command.ts'
import { isFull } from '../packages/testing/src/runs.ts'

const root = path.join(import.meta.dirname, '..')

/** One tool of each kind that can be scaffolded, some of them in a toolset. */
const scaffolds = [
  ['ShowThing'],
  ['ListThings', '--list', '--toolset', 'access'],
  ['ListNamedThings', '--list', '--references'],
  ['MakeThing', '--effect', 'create'],
  ['MakeNamedThing', '--effect', 'create', '--references', '--toolset', 'access'],
  ['ChangeNamedThing', '--effect', 'update', '--references'],
  ['ArchiveThing', '--effect', 'delete'],
] as const

/** The files that git tracks, with links to installed packages. */
async function copyOfRepository(): Promise<string> {
  const copy = path.join(await temporaryDirectory(), 'repository')
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n')
  await Promise.all(files.map((file) => cp(path.join(root, file), path.join(copy, file))))
  await symlink(path.join(root, 'node_modules'), path.join(copy, 'node_modules'))
  const packages = files.filter((file) => /^(?!templates).+\/package\.json$/.test(file)).map((file) => path.dirname(file))
  const folders = packages.map((folder) => path.join(folder, 'node_modules'))
  // Links between packages are relative, so those in the copy lead to the copy.
  const options = { recursive: true, verbatimSymlinks: true }
  await Promise.all(folders.map((folder) => cp(path.join(root, folder), path.join(copy, folder), options).catch(() => undefined)))
  // The limits do not allow for so many new tools at once.
  const registry = path.join(copy, 'servers.ts')
  await writeFile(registry, (await readFile(registry, 'utf8')).replaceAll(/maxListBytes: [\d_]+/g, 'maxListBytes: 50_000'))
  return copy
}

const Report = z.object({
  testResults: z.array(
    z.object({ assertionResults: z.array(z.object({ status: z.string(), title: z.string(), failureMessages: z.array(z.string()) })) }),
  ),
})

test('what new:tool writes passes types, lint and tests, and the contract says what is to be written', { timeout: 600_000 }, async () => {
  const directory = await copyOfRepository()
  const run = (...words: readonly string[]) => runNode(words, { directory })
  const succeed = async (...words: readonly string[]) => {
    const { code, output, errors } = await run(...words)
    expect([words, code, code === 0 ? '' : output + errors]).toEqual([words, 0, ''])
  }
  for (const words of scaffolds) await succeed('templates/new.ts', 'tool', 'file-storage', ...words)
  await succeed('scripts/generate.ts')
  if (isFull) await succeed('node_modules/typescript-7/bin/tsc', '-p', 'tsconfig.json')
  const written = globSync('apps/file-storage/{src,test}/**/{index.ts,contract.test.ts,*-thing*.ts}', {
    cwd: directory,
  })
  // Linting checks the types of all that its configuration includes: here of what these files import, and each week of everything.
  const configuration = path.join(directory, 'tsconfig.json')
  const everything = await readFile(configuration, 'utf8')
  if (!isFull) await writeFile(configuration, everything.replace(/"include": \[[^\]]*\]/, `"include": ${JSON.stringify(written)}`))
  await succeed('scripts/workspace.mjs', 'exec', 'oxlint', '--type-check', ...written)
  const report = path.join(directory, 'report.json')
  await run(
    'node_modules/vitest/vitest.mjs',
    'run',
    'apps/file-storage/test/contract',
    'apps/file-storage/test/access/contract',
    'thing',
    '--reporter=json',
    `--outputFile.json=${report}`,
  )
  const { testResults } = Report.parse(JSON.parse(await readFile(report, 'utf8')))
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  const failed = tests.filter(({ status }) => status === 'failed')
  expect(failed.map(({ title }) => title)).toEqual(Array(2).fill("contains none of the template's placeholders"))
  const unwritten = failed.flatMap(({ failureMessages }) => failureMessages).join()
  for (const [name] of scaffolds) {
    expect(unwritten).toContain(`${name}: To do: say what the tool does`)
    expect(tests.find(({ title }) => title === `${name} says what it has to do`)?.status).toBe('passed')
  }
})
