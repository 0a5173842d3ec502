import { readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { measureStart as startServer } from '../packages/testing/src/processes/measure-start.ts'
import { servers } from '../servers.ts'
import { run, runNode, temporaryDirectory } from './command.ts'
import { startStdio } from './stdio-process.ts'

/** The files in a directory that may not exist yet. */
function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : []))
  } catch {
    return []
  }
}

test('writes its compile cache before it can be killed', async () => {
  const cache = path.join(await temporaryDirectory(), 'cache')
  await using server = await startStdio({ MCP_TOOLKITS_EMBEDDED: '1', NODE_COMPILE_CACHE: cache })
  const ask = async (id: number, method: string) => {
    await server.send(JSON.stringify({ jsonrpc: '2.0', id, method }))
    await server.answer(id)
  }
  await ask(1, 'ping')
  expect(filesIn(cache)).toEqual([])
  await ask(2, 'tools/list')
  // The cache is written before the next request is read.
  await ask(3, 'ping')
  // main.js, and the three files that it loads at startup.
  expect(filesIn(cache)).toHaveLength(4)
})

test('works without a writable compile cache', async () => {
  const directory = await temporaryDirectory()
  const file = path.join(directory, 'file')
  writeFileSync(file, '')
  const finished = await run(['tools'], { environment: { NODE_COMPILE_CACHE: path.join(file, 'cache') } })
  expect(finished).toMatchObject({ code: 0, errors: 'More tools with --toolsets: backfill.\n' })
  expect(finished.output.trim().split('\n')).toHaveLength(7)
})

test('a failed start is reported with the output of the server', async () => {
  const main = path.join(await temporaryDirectory(), 'main.js')
  writeFileSync(main, 'console.error("There is no room."); process.exitCode = 3')
  await expect(startServer({ main, environment: {} }, 'legacy')).rejects.toThrow('No answer (exit code 3): There is no room.')
})

test.for([
  [['issue-trackr', 'ListReleases'], 'There is no server "issue-trackr". Did you mean issue-tracker?'],
  [['linear', 'ListReleases'], `There is no server "linear". Choose one of: ${servers.map(({ name }) => name).join(', ')}.`],
  [['issue-tracker', 'listReleases'], '"listReleases" cannot be the name of a tool. Did you mean ListReleases?'],
  [['issue-tracker', 'list_releases'], '"list_releases" cannot be the name of a tool. Did you mean ListReleases?'],
  [['issue-tracker'], 'Name the tool, too: '],
  [['issue-tracker', 'ListIssues'], 'issue-tracker has a tool ListIssues: apps/issue-tracker/src/tools/issues/issues.ts.'],
  [['issue-tracker', 'ListUsers'], 'issue-tracker has a tool ListUsers: apps/issue-tracker/src/toolsets/planning/users.ts.'],
  [['issue-tracker', 'ListReleases', '--toolset', 'planing'], 'issue-tracker has no toolset "planing". Did you mean planning?'],
  [['issue-tracker', 'ListReleases', 'Now'], '"Now" is one word too many. Give only the server and the tool'],
  [['issue-tracker', 'ListReleases', '--efect', 'read'], 'There is no option --efect. Did you mean --effect?'],
  [['issue-tracker', 'ListReleases', '--effect', 'creat'], '"creat" is not a tool effect. Did you mean create?'],
  [['issue-tracker', 'ListReleases', '--effect', 'delete', '--list'], '--list is for a read-only tool, but --effect says delete.'],
] as const)('new:tool says which word of %j is wrong', async ([words, said]) => {
  const { code, output, errors } = await runNode([path.join(import.meta.dirname, '..', 'templates', 'new.ts'), 'tool', ...words])
  expect([code, output, errors]).toEqual([2, '', expect.stringContaining(said)])
})

test('test:file asks for a path instead of running every test', async () => {
  const script = path.join(import.meta.dirname, '..', 'scripts', 'workspace.mjs')
  for (const args of [[], ['-u']]) {
    const { code, errors } = await runNode([script, 'test:file', ...args])
    expect([code, errors]).toEqual([2, expect.stringContaining('test:file needs a PATH')])
  }
})
