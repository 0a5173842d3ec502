import { expect, it } from 'vitest'
import { personAt, startCompany, titleOf } from './setup.ts'

it('connects an account: the person signs in, consents at the vendor, and the waiting call goes on', async () => {
  const company = await startCompany()
  const { id, url } = await company.linkFor('robin')
  const waiting = company.links.waitFor(id, new AbortController().signal)
  const end = await personAt(company, 'robin').follow(url)
  expect([end.status, titleOf(end)]).toEqual([200, 'Connected to Linear'])
  expect(await waiting).toBe('done')
  const login = await company.loginOf('robin')
  expect(login).toMatchObject({ client: { id: 'toolkits' }, scopes: ['read', 'write', 'initiative:read', 'initiative:write'] })
  expect(await company.loginOf('ada')).toBeUndefined()
})
