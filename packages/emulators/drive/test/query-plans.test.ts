import { queryPlans } from '@mcp-toolkits/emulator/testing'
import { integer, openStore } from '@mcp-toolkits/sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { driveEmulator } from '../src/library.ts'
import { parseOrder, toOrderSql } from '../src/files/list.ts'
import { itemById, selectItems, updateItem } from '../src/store/items.ts'
import { migrations } from '../src/store/migrations.ts'
import { firstViewer } from '../src/people/people.ts'
import { parseQuery } from '../src/files/query.ts'
import { isRare, toCondition } from '../src/files/query-sql.ts'
import { usageOf } from '../src/http/quota.ts'
import { addItems } from '../src/seed/account.ts'
import { fillDrive } from '../src/seed/seeds.ts'
import { seenBy } from '../src/store/viewers.ts'

const now = Date.parse('2026-09-16T12:00:00Z')

function openDrive(count: number) {
  const store = openStore({ file: ':memory:', migrations })
  onTestFinished(() => store.close())
  fillDrive(store, 'empty', now)
  addItems(store, { count, now })
  return seenBy(store, firstViewer)
}

type Drive = ReturnType<typeof openDrive>

/** The ids that a query finds, newest first; if `rare` is true, through the word index. */
function idsFor(drive: Drive, q: string, rare?: boolean): string[] {
  const context = {
    folder: (id: string) => id,
    person: (address: string) => address,
    losesRows: false,
    isRare: (words: Parameters<typeof isRare>[1]) => rare ?? isRare(drive, words),
  }
  const { sql, values } = toCondition(parseQuery(q), context)
  return selectItems(drive, `where f.reach = 'user' and ${sql} order by ${toOrderSql(parseOrder())}`, values).map(({ id }) => id)
}

const plansOf = (drive: Drive, q: string) =>
  queryPlans(drive, (recording) => {
    idsFor(seenBy(recording, firstViewer), q)
    return Promise.resolve()
  })

describe('a search of files', () => {
  it.each([
    ["name contains 'item 17'", /^SEARCH f USING INTEGER PRIMARY KEY/],
    ["fullText contains '170' and trashed = false", /^SEARCH f USING INTEGER PRIMARY KEY/],
    ["name contains '170' or fullText contains '170'", /^SEARCH f USING INTEGER PRIMARY KEY/],
    ["name = 'Item 170.txt'", /^SEARCH f USING INDEX files_name/],
    ["mimeType = 'application/vnd.google-apps.folder'", /^SEARCH f USING INDEX files_type/],
    ['sharedWithMe = true', /^SCAN f USING INDEX files_shared/],
    ['starred = true and trashed = false', /^SCAN f USING INDEX files_starred/],
    ["modifiedTime > '2026-01-01T00:00:00'", /^SEARCH f USING INDEX files_modified/],
  ])('reads no others: %s', async (q, expected) => {
    const plans = await plansOf(openDrive(300), q)
    // Alternatives are searched one after the other.
    expect([...new Set(plans.filter((plan) => /^(?:SCAN|SEARCH) f\b/.test(plan)))]).toEqual([expect.stringMatching(expected)])
  })

  it('scans the list if the word is common', async () => {
    const plans = await plansOf(openDrive(1_200), "name contains 'item'")
    expect(plans.filter((plan) => /^(?:SCAN|SEARCH) f\b/.test(plan))).toEqual([expect.stringMatching(/^SCAN f USING INDEX files_modified/)])
  })

  it.each([
    "name contains 'ite'",
    "name contains 'zep'",
    'fullText contains \'"item 17"\'',
    "not name contains 'item'",
    "fullText contains 'née'",
  ])('finds the same with the index and without: %s', (q) => {
    const drive = openDrive(60)
    const [first = '', second = '', third = ''] = idsFor(drive, "name contains 'item'")
    updateItem(drive, first, { name: 'Zeppelin née Item', text: 'item 17' })
    updateItem(drive, second, { name: 'Folder', text: 'née' })
    drive.run('delete from files where id = :third', { third })
    const found = idsFor(drive, q, true)
    expect(found).not.toEqual([])
    expect(found).toEqual(idsFor(drive, q, false))
  })
})

it("an owner's bytes are those of their files, whatever happens to the files", () => {
  const drive = openDrive(60)
  const [first = '', second = ''] = idsFor(drive, "name contains 'item'")
  updateItem(drive, first, { size: 123_456 })
  updateItem(drive, second, { trashed: 1 })
  drive.run("delete from files where name = 'Item 7.txt'")
  const shape = { bytes: integer, trashed: integer }
  const [counted] = drive.rows(shape, 'select sum(size) as bytes, sum(size * trashed) as trashed from files where size is not null')
  expect(counted?.trashed).toBe(itemById(drive, second)?.size)
  expect(usageOf(drive, firstViewer.id)).toEqual(counted)
})

it('a restored snapshot is searched and counted as before', async () => {
  const emulator = driveEmulator({ seed: 'company' })
  onTestFinished(() => emulator.close())
  const get = async (path: string) => {
    const response = await emulator.fetch(`https://www.googleapis.com/drive/v3/${path}`, {
      headers: { authorization: 'Bearer drive-emulator' },
    })
    return response.json()
  }
  const look = async () => [await get('about?fields=storageQuota'), await get("files?q=name contains 'launch'&fields=files(id)")]
  const before = await look()
  emulator.snapshot('before')
  emulator.reset()
  await emulator.fetch('https://www.googleapis.com/drive/v3/files', {
    method: 'POST',
    headers: { authorization: 'Bearer drive-emulator', 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Launch again.txt' }),
  })
  expect(await look()).not.toEqual(before)
  emulator.restore('before')
  expect(await look()).toEqual(before)
})
