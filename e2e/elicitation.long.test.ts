import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { elicitationClients, type Command, type User } from './elicitation-clients.ts'
import { startNode, temporaryDirectory } from './command.ts'
import { collectOutput } from './http-process.ts'

const main = path.join(import.meta.dirname, 'fixture', 'ambiguous-main.ts')
const tracker = path.join(import.meta.dirname, '..', 'apps', 'issue-tracker', 'dist', 'main.js')
const second: User = () => ({ action: 'accept', content: { person: 'anna-2' } })

async function twins(questionSeconds = 60): Promise<Command> {
  const args = [main, '--data-dir', await temporaryDirectory(), '--log-level', 'error']
  return { args, environment: { MCP_TOOLKITS_QUESTION_SECONDS: String(questionSeconds) } }
}

describe.for(Object.entries(elicitationClients))('%s over stdio', ([name, connect]) => {
  const greet = { person: 'Anna Berg' }

  test('lets its person choose', async () => {
    const forms: string[] = []
    await using client = await connect(await twins(), (form, signal) => {
      forms.push(form)
      return second(form, signal)
    })
    expect(await client.call('Twins_Greet', greet)).toContain('anna-2')
    expect(forms).toHaveLength(1)
    expect(forms[0]).toContain('{"const":"anna-2","title":"Anna Berg (a.berg@acme.example)"}')
  })

  test.for(['decline', 'cancel'] as const)('gets the suggestions after a %s', async (action) => {
    await using client = await connect(await twins(), () => ({ action }))
    expect(await client.call('Twins_Greet', greet)).toContain(String.raw`\"code\":\"ambiguous\"`)
  })

  test('gets the suggestions when its user takes too long', async () => {
    const modern = name.endsWith('2026-07-28')
    // A waiting server cancels its request; otherwise, the answer comes too late.
    const person: User = async (form, signal) => {
      await (modern ? sleep(1_100) : aborted(signal))
      return second(form, signal)
    }
    await using client = await connect(await twins(1), person)
    expect(await client.call('Twins_Greet', greet)).toContain(String.raw`\"code\":\"ambiguous\"`)
  })

  test('chooses between two projects of one name in the issue tracker', async () => {
    const [emulator, ids] = await linearWithTwoProjects('Moon Landing')
    const args = [tracker, '--data-dir', await temporaryDirectory(), '--log-level', 'error']
    const [, id = ''] = ids
    const environment = { ISSUE_TRACKER_API_URL: emulator, ISSUE_TRACKER_API_KEY: key }
    const call = { value: 'Moon Landing', lookup_by: 'name' }
    await using client = await connect({ args, environment }, () => ({ action: 'accept', content: { value: id } }))
    expect(await client.call('IssueTracker_GetProject', call)).toContain(String.raw`{\"project\":{\"id\":\"${id}\"`)
    await using other = await connect({ args, environment }, () => ({ action: 'decline' }))
    const declined = await other.call('IssueTracker_GetProject', call)
    for (const each of [...ids, 'ambiguous']) expect(declined).toContain(each)
  })
})

async function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  signal.addEventListener('abort', () => {
    resolve(undefined)
  })
  if (!signal.aborted) await promise
}

const key = 'lin_api_embedded'

/** Starts the Linear emulator and creates two projects with the same name. Returns the endpoint and the ids. */
async function linearWithTwoProjects(name: string): Promise<readonly [string, readonly string[]]> {
  const output = collectOutput(startNode([tracker, 'emulator', '--port', '0', '--data-dir', await temporaryDirectory()]).stdout)
  const endpoint = await output.match(/GraphQL endpoint (\S+),/)
  const ask = async (query: string) => {
    const headers = { authorization: key, 'content-type': 'application/json' }
    return (await fetch(endpoint, { method: 'POST', headers, body: JSON.stringify({ query }) })).text()
  }
  const uuid = /[0-9a-f]{8}-[0-9a-f-]{27}/
  const team = uuid.exec(await ask('{ teams(first: 1) { nodes { id } } }'))?.[0] ?? ''
  const create = async () => {
    const input = `{ name: ${JSON.stringify(name)}, teamIds: [${JSON.stringify(team)}] }`
    return uuid.exec(await ask(`mutation { projectCreate(input: ${input}) { project { id } } }`))?.[0] ?? ''
  }
  return [endpoint, [await create(), await create()]]
}
