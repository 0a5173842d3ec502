import { expect, it } from 'vitest'
import { commandLine } from './account.ts'

it('writes a command with the options that select the same login, quoted for a shell', () => {
  expect(commandLine('acme', { dataDirectory: '/data' }, ['login'])).toBe('acme-mcp login')
  const settings = { dataDirectory: "/Ada's data", dataDirectoryIsChosen: true, profile: 'work' }
  expect(commandLine('acme', settings, ['logout'])).toBe("acme-mcp logout --profile work --data-dir '/Ada'\\''s data'")
})
