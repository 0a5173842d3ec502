import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, it, onTestFinished } from 'vitest'
import { acme, acmeServer } from '../../../test/acme.ts'
import { logInAtTerminal } from './login.ts'

it('ends when the person takes too long', async () => {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'login-'))
  onTestFinished(() => rm(dataDirectory, { recursive: true }))
  const [output, errors] = [new PassThrough({ encoding: 'utf8' }), new PassThrough({ encoding: 'utf8' })]
  const environment = { HOME: dataDirectory, ACME_CLIENT_ID: 'desktop' }
  const settings = { embedded: false, dataDirectory, readOnly: false, toolNames: 'safe', environment } as const
  const console = { input: new PassThrough(), output, errors, environment, program: 'acme', onSignal: () => undefined }
  const login = { account: acme, settings, line: { scopes: [], browser: false, port: undefined }, timeoutMs: 1 }
  const running = logInAtTerminal(acmeServer, login, console, () => Promise.resolve(0))
  await expect(running).rejects.toThrow('The sign-in was not completed in time. Run the command again.')
  expect(output.read()).toContain('https://acme.example/authorize?')
})
