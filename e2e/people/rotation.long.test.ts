import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { parseJson } from '@mcp-toolkits/core/json'
import { expect, test } from 'vitest'
import { runNode, temporaryDirectory } from '../command.ts'
import { startDatabase } from '../replicas/database.ts'
import { send } from '../replicas/client.ts'
import { type Company, openCompany, peopleOf } from './company.ts'
import { connectEveryone } from './connecting.ts'
import { markOf, tracking } from './work.ts'

const postgres = startDatabase()
const program = path.join(import.meta.dirname, '..', '..', 'apps', 'issue-tracker', 'dist', 'main.js')
const newKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`
const people = peopleOf(6)

/** What people have got while the keys changed. */
interface Calls {
  readonly answered: number
  readonly failures: readonly string[]
  readonly created: readonly string[]
}

/** Everyone calls until `isOver`, and makes something with every second call. */
async function callUntil(company: Company, isOver: () => boolean): Promise<Calls> {
  const [failures, created]: [string[], string[]] = [[], []]
  let answered = 0
  const work = people.map(async (person) => {
    const token = company.tokenOf(person)
    for (let number = 0; !isOver(); number += 1) {
      const title = `${markOf(person)} ${number}`
      const isRead = number % 2 === 0
      const outcome = await send(company.url, { ...(isRead ? tracking.whoAmI : tracking.create(title)), token })
      if (outcome.kind !== 'result') failures.push(JSON.stringify(outcome))
      else if (isRead && tracking.emailIn(outcome.data) !== person.email)
        failures.push(`${person.subject}: ${JSON.stringify(outcome.data)}`)
      else {
        answered += 1
        if (!isRead) created.push(title)
      }
    }
  })
  await Promise.all(work)
  return { answered, failures, created }
}

test('the vault key is changed as the page says while everyone works, and no call fails', { timeout: 600_000 }, async () => {
  const [former, present] = [newKey('former'), newKey('present')]
  const keysFile = path.join(await temporaryDirectory(), 'keys')
  await writeFile(keysFile, former)
  const store = `${postgres().pooledUrl}?schema=rotation`
  const keys = { MCP_TOOLKITS_VAULT_KEYS: '', MCP_TOOLKITS_VAULT_KEYS_FILE: keysFile }
  await using company = await openCompany({ ...tracking, people, store, args: ['--drain-wait', '1'], environment: keys })
  await connectEveryone(company, tracking.whoAmI)
  const restartWith = async (...all: readonly string[]) => {
    await writeFile(keysFile, all.join(','))
    for (const replica of company.replicas) {
      expect(await replica.terminate()).toBe(0)
      await replica.restart()
    }
  }
  const vault = async (...args: readonly string[]) =>
    runNode([program, 'vault', ...args, '--data-dir', await temporaryDirectory()], { environment: { ...keys, MCP_TOOLKITS_STORE: store } })
  const change = async () => {
    await restartWith(former, present)
    await restartWith(present, former)
    const rotated = await vault('rotate')
    await restartWith(present)
    return rotated
  }
  const progress = { isDone: false }
  const changing = change().finally(() => {
    progress.isDone = true
  })
  const { answered, failures, created } = await callUntil(company, () => progress.isDone)
  expect(await changing).toMatchObject({ code: 0 })
  expect(failures).toEqual([])
  expect(answered).toBeGreaterThan(100)
  expect(
    company.vendor
      .made('mark-of-')
      .map(({ title }) => title)
      .sort(),
  ).toEqual(created.toSorted())
  const checked = await vault('check', '--json')
  expect(checked).toMatchObject({ code: 0 })
  expect(parseJson(checked.output)).toMatchObject({ keys: [{ key: 'present', unreadable: 0 }] })
})
