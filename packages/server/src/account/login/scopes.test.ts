import { expect, it } from 'vitest'
import { acmeAccount } from '../../../test/account/acme.ts'
import type { ScopeRules } from '../account.ts'
import { checkToolScopes, missingScopes } from './scopes.ts'

const rules: ScopeRules = {
  always: ['read'],
  includes: { all: ['drive.file', 'drive.readonly'], top: ['all'], write: ['issues:create'], loop: ['loop', 'write'] },
}

it.each([
  [['read'], [], []],
  [['write'], [], ['write']],
  [['issues:create'], ['write'], []],
  [['write'], ['issues:create'], ['write']],
  [['drive.file'], ['top'], []],
  [['drive.file|drive.readonly'], ['drive.readonly'], []],
  [['drive.file|drive.readonly', 'write'], ['other'], ['drive.file|drive.readonly', 'write']],
  [['issues:create', 'x'], ['loop'], ['x']],
  [[], [], []],
] as const)('of the scopes %j, a login with %j lacks %j', (required, granted, missing) => {
  expect(missingScopes(required, granted, rules)).toEqual(missing)
})

it('names the alternatives of a missing scope, and requests the smallest', () => {
  const check = { account: acmeAccount, settings: { embedded: false, environment: {}, dataDirectory: '/data' }, granted: ['c'] }
  const call = () => {
    checkToolScopes({ name: 'List', scopes: ['a|b', 'd', 'c'] }, 'Acme.List', check)
  }
  expect(call).toThrow('Acme.List needs the scope a or b and d, and this login has: c. Nothing was sent.')
  expect(call).toThrow(expect.objectContaining({ details: { next: { command: 'acme-mcp login --scopes c,a,d' } } }))
})

it('asks a person of a server for many to grant the union on a page', () => {
  const settings = { embedded: false, environment: {}, dataDirectory: '/data', owner: 'anna' }
  const call = () => {
    checkToolScopes({ name: 'List', scopes: ['a|b', 'd', 'c'] }, 'Acme.List', { account: acmeAccount, settings, granted: ['c'] })
  }
  expect(call).toThrow('Nothing was sent. Ask the person to open the page, then make the call again.')
  expect(call).toThrow(expect.objectContaining({ details: { connect: { purpose: 'account', scopes: ['c', 'a', 'd'] } } }))
})
