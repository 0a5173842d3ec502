import fc from 'fast-check'
import { expect, it } from 'vitest'
import { roles } from '../src/sharing/grants.ts'
import { permissionIdFor } from '../src/store/ids.ts'
import { robin } from '../src/people/people.ts'
import type { Item } from '../src/index.ts'
import { connected, folderType } from './connected.ts'
import { runs } from '../../../testing/src/runs.ts'

const domain = 'lodestar.example'
const priya = `priya.nair@${domain}`

/** One change to the items at the given places in the tree. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('create'), at: fc.nat(), to: fc.nat() }),
  fc.record({ kind: fc.constant('move'), at: fc.nat(), to: fc.nat() }),
  fc.record({
    kind: fc.constantFrom('trash', 'untrash', 'delete', 'domain', 'anyone', 'close', 'user', 'login'),
    at: fc.nat(),
    to: fc.nat(),
  }),
)

it('is the same whatever the order of changes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { ask, store, addItem, login, close } = connected({ seed: 'empty' })
      for (const role of ['reader', 'writer'] as const) {
        const elsewhere = addItem({
          name: role,
          type: folderType,
          parent: null,
          owner: `ada.okafor@${domain}`,
          grants: [[robin.email, role]],
        })
        addItem({ name: `in ${role}`, type: folderType, parent: elsewhere, owner: `ada.okafor@${domain}` })
      }
      for (const { kind, at, to } of steps) {
        const folders = store.files()
        const [item, other] = [folders[at % folders.length], folders[to % folders.length]]
        if (item === undefined || other === undefined) continue
        // A person's account starts with everything shared with them before.
        if (kind === 'login') await login(priya)
        const path = `/files/${item.id}`
        if (kind === 'create') await ask('POST /files', { body: { mimeType: folderType, parents: [item.id] } })
        else if (kind === 'move') await ask(`PATCH ${path}`, { query: { addParents: other.id, removeParents: item.parentId ?? '' } })
        else if (kind === 'delete') await ask(`DELETE ${path}`)
        else if (kind === 'close')
          await ask(`DELETE ${path}/permissions/${store.permissions().find(({ fileId }) => fileId === item.id)?.permissionId ?? ''}`)
        else if (kind === 'trash' || kind === 'untrash') await ask(`PATCH ${path}`, { body: { trashed: kind === 'trash' } })
        else await ask(`POST ${path}/permissions`, { body: bodyOf(kind) })
      }
      await login(priya)
      for (const email of [robin.email, priya]) {
        const items = new Map(store.files(email).map((item) => [item.id, item]))
        const viewer = { id: permissionIdFor(email), items, grants: store.permissions() }
        for (const item of items.values()) expect([item.name, standingOf(item, viewer)]).toEqual([item.name, columnsOf(item)])
      }
      await close()
    }),
    { numRuns: runs(60) },
  )
})

const bodyOf = (type: string) => ({
  type,
  role: 'reader',
  ...(type === 'user' ? { emailAddress: priya } : { domain, allowFileDiscovery: type === 'domain' }),
})

const columnsOf = ({ role, shared, inDomain, trashed, reach }: Item) => ({
  role,
  shared: shared === 1,
  inDomain: inDomain === 1,
  trashed: trashed === 1,
  isListed: reach === 'user' || reach === 'root',
})

/** A person, and everything that decides their access. */
interface Standpoint {
  readonly id: string
  readonly items: ReadonlyMap<string, Item>
  readonly grants: ReturnType<ReturnType<typeof connected>['store']['permissions']>
}

/** The access that the emulator should compute for an item, worked out from all items and grants. */
function standingOf(item: Item, { id: viewerId, items, grants }: Standpoint) {
  const line: Item[] = []
  for (let above: Item | undefined = item; above !== undefined; above = above.parentId === null ? undefined : items.get(above.parentId))
    line.push(above)
  const given = grants.filter(({ fileId }) => line.some(({ id }) => id === fileId))
  const ranks = given
    .filter((grant) => grant.permissionId === viewerId || grant.type !== 'user')
    .map(({ role }) => roles.findIndex((each) => each === role))
  if (line.some(({ ownerId, id }) => ownerId === viewerId && id !== item.id)) ranks.push(roles.indexOf('writer'))
  if (item.ownerId === viewerId) ranks.push(roles.indexOf('owner'))
  return {
    role: ranks.length === 0 ? null : roles[Math.max(...ranks)],
    shared: given.length > 0,
    inDomain: given.some(({ type, allowFileDiscovery }) => type === 'domain' && allowFileDiscovery === 1),
    trashed: line.some(({ explicitlyTrashed }) => explicitlyTrashed === 1),
    isListed: line.some(({ ownerId }) => ownerId === viewerId) || given.some(({ permissionId }) => permissionId === viewerId),
  }
}
