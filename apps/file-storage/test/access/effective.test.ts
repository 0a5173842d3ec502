import { member } from '@mcp-toolkits/core/base'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../../packages/testing/src/runs.ts'
import { folderType, storage, type Storage } from '../storage.ts'

const domain = 'lodestar.example'
const me = `robin.vance@${domain}`
const others = [`priya.nair@${domain}`, `tomas.herrera@${domain}`] as const
const roles = ['reader', 'commenter', 'writer', 'fileOrganizer', 'organizer', 'owner']

const step = fc.record({
  tool: fc.constantFrom('SetGeneralAccess', 'RevokeFileAccess', 'RemoveAllCollaborators'),
  item: fc.nat(),
  access: fc.constantFrom('restricted', 'domain', 'anyone'),
  role: fc.constantFrom(undefined, 'reader', 'commenter', 'writer'),
  allow_discovery: fc.constantFrom(undefined, true, false),
  person: fc.constantFrom(...others),
  agrees: fc.boolean(),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

const grants = fc.uniqueArray(fc.tuple(fc.constantFrom(...others), fc.constantFrom('reader', 'commenter', 'writer')), {
  selector: ([person]) => person,
})

const choices = fc.record({ isOwn: fc.boolean(), agrees: fc.boolean() })

/** One row of a result. */
interface Row {
  readonly who: string
  readonly type: string
  readonly role: string
  readonly findable?: boolean
}

const entry = (key: string, role: string | null): [string, string | null] => [key, role]

/** Each person's role on each item, as the emulator stores it. */
const effectiveIn = ({ emulator: { store } }: Storage) =>
  new Map([me, ...others].flatMap((email) => store.files(email).map(({ id, role }) => entry(`${id} ${email}`, role))))

const isRow = (value: unknown): value is Row => ['who', 'type', 'role'].every((name) => typeof member(value, name) === 'string')

/** A person's role according to the rows. */
function roleIn(rows: readonly Row[], email: string): string | null {
  const given = rows.filter(({ who, type }) => who === email || type === 'anyone' || (type === 'domain' && who === domain))
  return roles[Math.max(...given.map(({ role }) => roles.indexOf(role)))] ?? null
}

const argumentsOf = ({ tool, access, role, allow_discovery, person, agrees }: Step) => {
  if (tool === 'RevokeFileAccess') return { people: [person] }
  if (tool === 'RemoveAllCollaborators') return {}
  return { access, confirm: agrees, ...(access !== 'restricted' && { role, allow_discovery }) }
}

const rowsIn = (result: unknown, part: 'before' | 'after'): readonly Row[] => {
  const rows = member(result, part)
  return Array.isArray(rows) ? rows.filter(isRow) : []
}

test('the result of a copy into a different folder says who can see it, and no one else can without consent', async () => {
  await fc.assert(
    fc.asyncProperty(grants, grants, grants, choices, async (onFolder, onFile, onTarget, { isOwn, agrees }) => {
      await using server = await storage({ toolsets: ['content'] })
      const folder = server.emulator.addItem({ name: 'Folder', type: folderType, grants: onFolder })
      const [owner] = others
      const ofOther = { owner, parent: null, grants: [...onTarget.filter(([person]) => person !== owner), [me, 'writer'] as const] }
      const target = server.emulator.addItem({ name: 'Target', type: folderType, ...(isOwn ? { grants: onTarget } : ofOther) })
      const file = server.emulator.addItem({ name: 'File', parent: folder, grants: onFile })
      for (const email of others) await server.emulator.login(email)
      const before = effectiveIn(server)
      const args = { file_path_or_id: file, destination_folder_path_or_id: target }
      const dryRun = await server.call('FileStorage.CopyFile', { ...args, dry_run: true })
      const { isError, structuredContent = {} } = await server.result('FileStorage.CopyFile', { ...args, confirm: agrees })
      const after = effectiveIn(server)
      const isOwner = (email: string) => before.get(`${target} ${email}`) === 'owner'
      // A folder's owner is a writer of items that others put into it.
      const given = (email: string) => (isOwner(email) ? 'writer' : (before.get(`${target} ${email}`) ?? ''))
      const wins = (email: string) => roles.indexOf(given(email)) > roles.indexOf(before.get(`${file} ${email}`) ?? '')
      if (isError === true) {
        expect([agrees, others.some(wins)]).toEqual([false, true])
        expect(after).toEqual(before)
        return
      }
      const copy = String(member(member(structuredContent, 'file'), 'id'))
      expect(agrees || !others.some(wins)).toBe(true)
      for (const email of others) {
        const now = after.get(`${copy} ${email}`) ?? null
        const said = [roleIn(rowsIn(structuredContent, 'before'), email), roleIn(rowsIn(structuredContent, 'after'), email)]
        expect([email, ...said]).toEqual([email, before.get(`${file} ${email}`) ?? null, now])
        expect(roleIn(rowsIn(dryRun, 'after'), email)).toBe(now)
      }
    }),
    { numRuns: runs(60) },
  )
})

test('each result says who could see the item before and who can now, and no one gains access without consent', async () => {
  await fc.assert(
    fc.asyncProperty(grants, grants, fc.array(step, { minLength: 3, maxLength: 10 }), async (onFolder, onFile, steps) => {
      await using server = await storage({ toolsets: ['access'] })
      const folder = server.emulator.addItem({ name: 'Folder', type: folderType, grants: onFolder })
      const file = server.emulator.addItem({ name: 'File', parent: folder, grants: onFile })
      for (const email of others) await server.emulator.login(email)
      for (const each of steps) {
        const fileId = [folder, file][each.item % 2] ?? file
        const before = effectiveIn(server)
        const args = { file_path_or_id: fileId, ...argumentsOf(each) }
        const dryRun =
          each.tool === 'SetGeneralAccess' ? await server.call(`FileStorage.${each.tool}`, { ...args, dry_run: true }) : undefined
        expect(effectiveIn(server)).toEqual(before)
        const { isError, structuredContent = {} } = await server.result(`FileStorage.${each.tool}`, args)
        const after = effectiveIn(server)
        const gained = [...after].filter(([key, role]) => roles.indexOf(role ?? '') > roles.indexOf(before.get(key) ?? ''))
        if (isError === true) {
          expect([each.tool, each.agrees]).toEqual(['SetGeneralAccess', false])
          expect(after).toEqual(before)
          continue
        }
        if (!each.agrees || each.tool !== 'SetGeneralAccess') expect(gained).toEqual([])
        for (const email of [me, ...others]) {
          const key = `${fileId} ${email}`
          const said = [roleIn(rowsIn(structuredContent, 'before'), email), roleIn(rowsIn(structuredContent, 'after'), email)]
          expect([email, ...said]).toEqual([email, before.get(key) ?? null, after.get(key) ?? null])
          if (dryRun) expect([email, roleIn(rowsIn(dryRun, 'after'), email)]).toEqual([email, after.get(key) ?? null])
        }
      }
    }),
    { numRuns: runs(60) },
  )
})
