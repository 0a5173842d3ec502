import path from 'node:path'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import { expect, test } from 'vitest'
import { runNode, temporaryDirectory } from '../command.ts'
import { type Call, send } from '../../packages/testing/src/cluster/client.ts'
import { startDatabase } from '../replicas/database.ts'
import { openCompany, peopleOf } from '../../packages/testing/src/company/company.ts'
import { connectEveryone } from '../../packages/testing/src/company/connecting.ts'
import type { OpenCompanyVendor } from '../../packages/testing/src/company/vendors.ts'
import { tracking } from '../../packages/testing/src/company/work.ts'

const postgres = startDatabase()
const people = peopleOf(2)
const [leaving, staying] = people
if (!leaving || !staying) throw new Error('There are two people.')
const vault = { MCP_TOOLKITS_VAULT_KEYS: `key:${Buffer.alloc(32, 9).toString('base64')}` }

/** Runs one of the operator's commands on the database. */
async function operate(app: string, args: readonly string[], environment: Readonly<Record<string, string>>) {
  const main = path.join(import.meta.dirname, '..', '..', 'apps', app, 'dist', 'main.js')
  return runNode([main, ...args, '--data-dir', await temporaryDirectory()], { environment: { ...vault, ...environment } })
}

test('a person who is forgotten has no account on any replica from the next call on', { timeout: 120_000 }, async () => {
  const store = `${postgres().pooledUrl}?schema=forgotten`
  await using company = await openCompany({ ...tracking, people, store, environment: vault })
  await connectEveryone(company, tracking.whoAmI)
  const callAs = (person: typeof leaving) => send(company.url, { ...tracking.whoAmI, token: company.tokenOf(person) })
  // Each replica has a connection for the person.
  for (let turn = 0; turn < 6; turn += 1) expect(await callAs(leaving)).toMatchObject({ kind: 'result' })
  const { code, errors } = await operate('issue-tracker', ['people', 'forget', leaving.subject], { MCP_TOOLKITS_STORE: store })
  expect([code, errors]).toEqual([0, ''])
  for (let turn = 0; turn < 6; turn += 1) {
    expect(await callAs(leaving)).toMatchObject({ kind: 'error', code: 'unauthenticated' })
    expect(await callAs(staying)).toMatchObject({ kind: 'result' })
  }
})

/** Customer.io, with a source for each person. */
const openPipelines = (emulator: ReturnType<typeof pipelinesEmulator>): OpenCompanyVendor => {
  return async () => {
    const { url } = await emulator.listen({ port: 0 })
    return {
      url,
      environment: { EVENT_PIPELINE_API_URL: `${url}/v1`, MCP_TOOLKITS_KEYS: 'person' },
      account: {},
      answerOf: ({ subject }) => ({ key: `key-of-${subject}` }),
      made: () => [],
      slowDown: () => undefined,
      [Symbol.asyncDispose]: async () => {
        await emulator.close()
      },
    }
  }
}

test('nothing is sent any more with the key of a person who is forgotten', { timeout: 300_000 }, async () => {
  const store = `${postgres().pooledUrl}?schema=forgotten_keys`
  const sources = Object.fromEntries(people.map(({ subject }) => [subject, `key-of-${subject}`]))
  const emulator = pipelinesEmulator({ seed: 'empty', sources })
  const app = 'event-pipeline'
  await using company = await openCompany({ app, openVendor: openPipelines(emulator), people, store, environment: vault })
  const body = { userId: 'customer', event: 'Order Completed' }
  const track: Call = { name: 'EventPipelineApi_TrackUserEvent', args: { mode: 'execute', request_body: JSON.stringify(body) } }
  await connectEveryone(company, track)
  emulator.faults.add({ times: Infinity, action: { kind: 'status', status: 503 } })
  for (const person of people) {
    const outcome = await send(company.url, { ...track, token: company.tokenOf(person) })
    expect(outcome).toMatchObject({ kind: 'result', data: { outcome: 'queued' } })
  }
  const environment = { ...company.vendor.environment, MCP_TOOLKITS_STORE: store }
  const operator = { ...environment, MCP_TOOLKITS_KEYS: 'deployment', EVENT_PIPELINE_API_KEY: 'key-of-the-operator' }
  const { code } = await operate(app, ['people', 'forget', leaving.subject], environment)
  expect(code).toBe(0)
  // A replica may be sending the event just now. It is then parked after that fails, at the latest when a replica checks keys, once a
  // minute.
  const listed = async () => (await operate(app, ['outbox', 'list', '--json'], operator)).output
  await expect.poll(listed, { timeout: 150_000 }).toMatch(/person_forgotten|key_ended/)
  emulator.faults.clear()
  const accepted = () => emulator.store.events().filter(({ outcome }) => outcome === 'accepted')
  await expect.poll(() => accepted().map(({ source }) => source)).toEqual([staying.subject])
  expect(await send(company.url, { ...track, token: company.tokenOf(leaving) })).toMatchObject({ kind: 'error', code: 'unauthenticated' })
})
