import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { run } from '@mcp-toolkits/testing'
import { expect, onTestFinished, test } from 'vitest'

const program = path.join(import.meta.dirname, '..', 'src', 'main.ts')

/** Runs the command of the server on a data directory of its own. */
async function command(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const directory = await mkdtemp(path.join(tmpdir(), 'command-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return run([program, ...args], { HOME: directory, MCP_TOOLKITS_DATA_DIR: directory, ...environment })
}

test('there is no login to choose: --profile is refused, and a variable for other servers is left alone', async () => {
  const refused = await command(['status', '--profile', 'work'])
  expect(refused.code).toBe(2)
  expect(refused.errors).toContain('--profile is for servers with a sign-in; this one has none.')
  const { code, output } = await command(['status'], { MCP_TOOLKITS_PROFILE: 'work' })
  expect(code).toBe(0)
  expect(output).not.toContain('work')
  expect(await readFile(path.join(import.meta.dirname, '..', 'README.md'), 'utf8')).not.toContain('MCP_TOOLKITS_PROFILE')
})
