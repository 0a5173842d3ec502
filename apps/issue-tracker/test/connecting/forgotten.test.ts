import { expect, it } from 'vitest'
import { atCallback, atSignedIn, personAt, startCompany, titleOf } from './setup.ts'

it.each([
  ['before they open the link', undefined],
  ['while they sign in', atSignedIn],
  ['while they consent', atCallback],
])('stores nothing about a person who is forgotten %s', async (_, stopsAt) => {
  const company = await startCompany({ replicas: 2 })
  const { id, url } = await company.linkFor('robin')
  const robin = personAt(company, 'robin', { stopsAt: stopsAt })
  const back = stopsAt && (await robin.follow(url))
  await company.state.people.forget(company.ownerOf('robin'))
  const end = await (back ? robin.continueTo(back.url) : robin.follow(url))
  expect([end.status, titleOf(end)]).toEqual([404, 'This link does not work'])
  expect(await company.outcomeOf(id)).toBe('expired')
  expect(await company.state.people.list()).toEqual([])
  expect(await company.state.people.grants.list(company.ownerOf('robin'))).toEqual([])
})

it('revokes the tokens of a person who is forgotten while the vendor issues them', async () => {
  const company = await startCompany()
  const { id, url } = await company.linkFor('robin')
  const robin = personAt(company, 'robin', { stopsAt: atCallback })
  const back = await robin.follow(url)
  company.before.whoAmI = () => company.state.people.forget(company.ownerOf('robin'))
  const end = await robin.continueTo(back.url)
  expect([end.status, titleOf(end)]).toEqual([404, 'This link does not work'])
  expect(await company.outcomeOf(id)).toBe('expired')
  expect(company.emulator.store.grants().map(({ issued, revokedAt }) => [issued, revokedAt !== null])).toEqual([[1, true]])
  expect(await company.state.people.list()).toEqual([])
})

it('stores nothing about a person who is forgotten just before the sign-in is stored', async () => {
  const company = await startCompany()
  const robin = personAt(company, 'robin', { stopsAt: atSignedIn })
  const back = await robin.follow((await company.linkFor('robin')).url)
  company.before.remember = () => company.state.people.forget(company.ownerOf('robin'))
  expect(titleOf(await robin.continueTo(back.url))).toBe('This link does not work')
  expect(await company.state.people.list()).toEqual([])
})
