import path from 'node:path'
import { expect, test } from 'vitest'
import { runNode, temporaryDirectory } from './command.ts'

const main = path.join(import.meta.dirname, '..', 'apps', 'file-storage', 'dist', 'main.js')
const variable = 'FILE_STORAGE_ALLOW_PRIVATE_URLS'

const run = async (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  runNode([main, ...args, '--embedded', '--data-dir', await temporaryDirectory()], { environment })

test.for(['http://files.lan/', 'host:80:90', 'localhost:99999', 'files.lan, *.lan'])('refuses "%s" at the start', async (entry) => {
  for (const args of [['call', 'WhoAmI', '{}'], ['status'], ['tools'], []]) {
    const option = await run([...args, '--allow-private-urls', entry])
    expect([option.code, option.output]).toEqual([2, ''])
    expect(option.errors).toMatch(/^file-storage: --allow-private-urls: "[^"]+" is not a host that can be allowed\. .*\n$/)
    const environment = await run(args, { [variable]: entry })
    expect([environment.code, environment.output]).toEqual([2, ''])
    expect(environment.errors).toMatch(/^file-storage: FILE_STORAGE_ALLOW_PRIVATE_URLS: "[^"]+" is not a host that can be allowed\. .*\n$/)
  }
})

test('status lists the allowed hosts, the command line before the variable', async () => {
  const environment = { [variable]: ' files.lan, ,[::1]:8080' }
  expect((await run(['status'], environment)).output).toContain('private hosts allowed: files.lan, [::1]:8080\n')
  expect((await run(['status', '--allow-private-urls', 'minio:9000'], environment)).output).toContain('private hosts allowed: minio:9000\n')
  for (const nothing of [await run(['status']), await run(['status', '--allow-private-urls', ''], environment)]) {
    expect([nothing.code, nothing.output.includes('private hosts allowed')]).toEqual([0, false])
  }
})
