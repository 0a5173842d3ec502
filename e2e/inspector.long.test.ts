import path from 'node:path'
import { expect, test } from 'vitest'
import { servers } from '../servers.ts'
import { inspectorEnvironment, inspectorMain } from './clients.ts'
import { runNode, temporaryDirectory } from './command.ts'

test.for(servers)('the Inspector has no error and no warning about the tools of $name', async ({ name }) => {
  const main = path.join(import.meta.dirname, '..', 'apps', name, 'dist', 'main.js')
  const args = [inspectorMain, '--cli', process.execPath, main, '--method', 'tools/list', '--strict', '--format', 'json']
  const { code, errors } = await runNode(args, { environment: inspectorEnvironment(await temporaryDirectory()) })
  expect(code, errors).toBe(0)
  expect(errors).not.toMatch(/^(?:Error|Warning): tool/m)
})
