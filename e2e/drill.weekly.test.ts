import path from 'node:path'
import { runsPostgres } from '@mcp-toolkits/testing/postgres'
import { expect, test } from 'vitest'
import { runNode } from './command.ts'

const main = path.join(import.meta.dirname, '..', 'lab', 'drill', 'main.ts')

test.runIf(runsPostgres())('what the runbook describes is what happens', { timeout: 900_000 }, async () => {
  const { code, output } = await runNode([main])
  process.stdout.write(output)
  expect(output).not.toContain('✗')
  expect([code, output.trim().split('\n').at(-1)]).toEqual([0, '5 rehearsals passed, 0 failed.'])
})
