import { expect, it } from 'vitest'
import { commandLine, endpointsAt } from './account.ts'
import { acme } from '../test/acme.ts'

it('moves all endpoints to another address, each under its own path', () => {
  expect(endpointsAt(acme, undefined)).toEqual(acme.endpoints)
  expect(endpointsAt(acme, 'http://127.0.0.1:4000/emulated')).toEqual({
    authorization: 'http://127.0.0.1:4000/emulated/authorize',
    token: 'http://127.0.0.1:4000/emulated/token',
    revocation: 'http://127.0.0.1:4000/emulated/revoke',
  })
})

it('writes a command with the options that select the same login, quoted for a shell', () => {
  expect(commandLine('acme', { dataDirectory: '/data' }, ['login'])).toBe('acme-mcp login')
  const settings = { dataDirectory: "/Ada's data", dataDirectoryIsChosen: true, profile: 'work' }
  expect(commandLine('acme', settings, ['logout'])).toBe("acme-mcp logout --profile work --data-dir '/Ada'\\''s data'")
})
