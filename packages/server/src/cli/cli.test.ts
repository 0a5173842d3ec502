import { PassThrough, Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { Unavailable } from '@mcp-toolkits/core/errors'
import { defineServer } from '../team.ts'
import { acmeServer } from '../../test/acme.ts'
import { runCli } from './cli.ts'

const systemError = (code: string, path?: string) =>
  Object.assign(new Error(`${code}: refused`), { code, syscall: 'open', ...(path !== undefined && { path }) })

/** Runs a command that only this server has, and that fails with the given error or prints. */
async function run(failure: Error | undefined, output: Writable = new PassThrough()) {
  const run = () => (failure ? Promise.reject(failure) : Promise.resolve({ code: 0, text: 'done' } as const))
  const definition = defineServer<unknown>({
    ...acmeServer,
    extensions: [{ commands: { act: { usage: 'act', description: 'acts', example: 'act', run } } }],
  })
  const errors = new PassThrough({ encoding: 'utf8' })
  const environment = { MCP_TOOLKITS_DATA_DIR: '/data' }
  const onSignal = () => undefined
  const code = await runCli(definition, ['act'], { input: new PassThrough(), output, errors, environment, program: 'acme', onSignal })
  return { code, errors: String(errors.read() ?? '') }
}

const full = (code: string) =>
  new Writable({
    write(_chunk, _encoding, done) {
      done(systemError(code))
    },
  })

it.each([
  ['a typed error', new Unavailable('No.'), 'acme: No.\n'],
  [
    'a file of the data directory',
    systemError('ENOTDIR', '/data/credentials.json'),
    'acme: The data directory /data cannot be used (ENOTDIR). Choose another one with --data-dir.\n',
  ],
  [
    'a database',
    Object.assign(new Error('a.db cannot be opened.'), { code: 'ERR_STORE', problem: 'unusable' }),
    'acme: a.db cannot be opened. Check the permissions and the disk, or choose another data directory with --data-dir.\n',
  ],
  ['anything else of the system', systemError('EACCES', '/elsewhere'), 'acme: EACCES: refused\n'],
])('ends with one line for %s', async (_, failure, errors) => {
  expect(await run(failure)).toEqual({ code: 1, errors })
})

it('throws a defect', async () => {
  await expect(run(new TypeError('defect'))).rejects.toThrow('defect')
})

it('fails when standard output cannot be written, unless its reader has left', async () => {
  expect(await run(undefined)).toEqual({ code: 0, errors: '' })
  expect(await run(undefined, full('ENOSPC'))).toEqual({ code: 1, errors: 'acme: Writing to standard output failed (ENOSPC).\n' })
  expect(await run(undefined, full('EPIPE'))).toEqual({ code: 0, errors: '' })
})

it.each([
  ['on the command line', ['--version', '--store', 'postgres://ada:secret@db/x'], {}, true],
  ['on the command line, as a parameter', ['--version', '--store=postgres://db/x?password=secret'], {}, true],
  ['in the environment', ['--version'], { MCP_TOOLKITS_STORE: 'postgres://ada:secret@db/x' }, false],
  ['nowhere', ['--version', '--store', 'postgres://ada@db/x'], {}, false],
])('warns of a password of the database only where others see it: %s', async (_, args, environment, isVisible) => {
  const [output, errors] = [new PassThrough(), new PassThrough({ encoding: 'utf8' })]
  const onSignal = () => undefined
  await runCli(acmeServer, ['http', ...args], { input: new PassThrough(), output, errors, environment, program: 'acme', onSignal })
  const warning =
    'acme: warning: The password in --store is visible to everyone on this machine (ps). Put the URL in MCP_TOOLKITS_STORE, or the path of a file with it in MCP_TOOLKITS_STORE_FILE.\n'
  expect(errors.read() ?? '').toBe(isVisible ? warning : '')
})
