import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, it, onTestFinished } from 'vitest'
import { acme, acmeServer } from '../../test/acme.ts'
import { defineServer } from '../../team.ts'
import { type ServerDefinition } from '../../mcp/definition.ts'
import { runCli } from '../cli.ts'

/** A server without tools that has a sign-in. */
function serverWithLogin(elicitationTimeoutMs: number): ServerDefinition<unknown> {
  return defineServer<unknown>({ ...acmeServer, account: acme, elicitationTimeoutMs })
}

it('ends when the person takes too long', async () => {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'login-'))
  const [output, errors] = [new PassThrough({ encoding: 'utf8' }), new PassThrough({ encoding: 'utf8' })]
  const stops: (() => void)[] = []
  const environment = { HOME: dataDirectory, MCP_TOOLKITS_DATA_DIR: dataDirectory, ACME_CLIENT_ID: 'desktop' }
  const codes: number[] = []
  const running = runCli(serverWithLogin(1), ['login', '--no-browser'], {
    input: new PassThrough(),
    output,
    errors,
    environment,
    program: 'acme',
    onSignal: (stop) => stops.push(stop),
  }).then((code) => codes.push(code))
  onTestFinished(async () => {
    for (const stop of stops) stop()
    await running
    await rm(dataDirectory, { recursive: true })
  })
  await expect.poll(() => codes, { timeout: 10_000 }).toEqual([1])
  expect(output.read()).toContain('https://acme.example/authorize?')
  expect(errors.read()).toBe('acme: The sign-in was not completed in time. Run the command again.\n')
})
