import { expect, it } from 'vitest'
import { UsageError } from '../command.ts'
import { readCommandLine } from './command-line.ts'
import { checkUpstream, readAddress, showsWorkspace } from './http-options.ts'

const token = { MCP_TOOLKITS_HTTP_TOKEN: 'x'.repeat(32) }
const addressOf = async (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  readAddress(await readCommandLine(['http', ...args], { HOME: '/home/ada' }), environment)

it('a server behind a proxy of its machine needs a token, as any other for other machines', async () => {
  for (const name of ['files.example', 'localhost,files.example'])
    await expect(addressOf(['--allowed-hosts', name])).rejects.toThrow('Serving on files.example needs MCP_TOOLKITS_HTTP_TOKEN')
  expect(await addressOf(['--allowed-hosts', 'localhost,127.0.0.1,::1'])).toMatchObject({ servesOtherMachines: false })
  expect(await addressOf(['--allowed-hosts', 'files.example'], token)).toMatchObject({ servesOtherMachines: true })
})

it('the embedded default is served to other machines only when asked for', async () => {
  const address = await addressOf(['--allowed-hosts', 'files.example'], token)
  const toolbox = { embedded: true }
  const serve = (embedded: boolean) => {
    checkUpstream(toolbox, { embedded }, address)
  }
  expect(() => {
    serve(false)
  }).toThrow(new UsageError('Serving the embedded default to other machines needs --embedded.'))
  serve(true)
  expect(showsWorkspace(toolbox, address)).toBe(false)
  checkUpstream(toolbox, { embedded: false }, await addressOf([]))
})
