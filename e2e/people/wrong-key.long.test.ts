import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runNode, temporaryDirectory } from '../command.ts'
import { send } from '../replicas/client.ts'
import { startDatabase } from '../replicas/database.ts'
import { type Company, openCompany, peopleOf } from './company.ts'
import { connectPerson } from './connecting.ts'
import { tracking } from './work.ts'

const postgres = startDatabase()
const program = path.join(import.meta.dirname, '..', '..', 'apps', 'issue-tracker', 'dist', 'main.js')
const newKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`
const [known, unknown] = [newKey('known'), newKey('unknown')]
const people = peopleOf(1)

describe('a server that lacks the key of what a person has connected', () => {
  let company: Company
  let store: string
  beforeAll(async () => {
    store = `${postgres().pooledUrl}?schema=wrong_key`
    company = await openCompany({ ...tracking, people, store, environment: { MCP_TOOLKITS_VAULT_KEYS: known } })
    for (const person of people) await connectPerson(company, person, tracking.whoAmI)
    const environment = { MCP_TOOLKITS_STORE: store, MCP_TOOLKITS_VAULT_KEYS: `${unknown},${known}` }
    const rotated = await runNode([program, 'vault', 'rotate', '--data-dir', await temporaryDirectory()], { environment })
    expect(rotated.code).toBe(0)
  }, 120_000)
  afterAll(() => company[Symbol.asyncDispose]())

  test('says so in each call, and asks nobody to connect again', async () => {
    for (const person of company.people) {
      const outcome = await send(company.url, { ...tracking.whoAmI, token: company.tokenOf(person) })
      expect(outcome).toMatchObject({ kind: 'error', code: 'unavailable', isRetryable: false })
      expect(JSON.stringify(outcome)).toMatch(/the key unknown.*MCP_TOOLKITS_VAULT_KEYS/)
      expect(JSON.stringify(outcome)).not.toContain('/connect/')
    }
  })

  test('does not start again, and names the key', async () => {
    const [replica] = company.replicas
    await replica?.kill()
    await expect(replica?.restart()).rejects.toThrow('sealed with the key unknown, which is unknown here')
  })
})
