import { filteredPath, Filters, More, type PageRequest, pageSize, type WorkspacePage } from '@mcp-toolkits/emulator/workspace'
import { text } from '@mcp-toolkits/sqlite'
import { selectItems } from '../store/items.ts'
import type { DriveStore } from '../store/viewers.ts'
import { ItemTable } from './items.tsx'

const path = '/workspace/search'

/** The list's filters, each with the condition that it sets. */
const filters: Readonly<Record<string, string>> = {
  q: 'instr(lower(f.name), lower(:q)) > 0',
  type: 'f.mimeType like :type',
  owner: "coalesce(f.ownerId, 'drive') = :owner",
}

/** The files in all drives, most recently modified first. */
export const searchPage = (store: DriveStore): WorkspacePage => ({
  path: '/search',
  show({ query }) {
    const set = Object.keys(filters).flatMap((name) => {
      const value = query(name)
      return value === undefined ? [] : [[name, value] as const]
    })
    const [modifiedTime = '', n = ''] = (query('before') ?? '9999 0').split(' ')
    const conditions = ['f.trashed = 0', '(f.modifiedTime, f.n) < (:modifiedTime, :n)', ...set.map(([name]) => filters[name])]
    const found = selectItems(store, `where ${conditions.join(' and ')} order by f.modifiedTime desc, f.n desc limit :limit`, {
      ...Object.fromEntries(set),
      ...{ modifiedTime, n: Number(n), limit: pageSize + 1 },
    })
    const items = found.slice(0, pageSize)
    const end = found.length > pageSize ? items.at(-1) : undefined
    return {
      title: 'Search',
      section: '/files',
      content: (
        <>
          <FileFilters store={store} query={query} />
          {items.length === 0 ? <p>No files.</p> : <ItemTable store={store} rows={items.map((item) => ({ item, depth: 0 }))} />}
          <More href={end && filteredPath(path, query, Object.keys(filters), { before: `${end.modifiedTime} ${end.n}` })} />
        </>
      ),
    }
  },
})

const types = [
  ['%.folder', 'Folders'],
  ['%document%', 'Documents'],
  ['%spreadsheet%', 'Spreadsheets'],
  ['%presentation%', 'Presentations'],
  ['text/%', 'Text'],
  ['image/%', 'Pictures'],
  ['application/pdf', 'PDF'],
] as const

/** Maximum number of options in a choice. */
const limit = 200

/** The form that finds files. */
export function FileFilters({ store, query }: { readonly store: DriveStore; readonly query: PageRequest['query'] }) {
  const people = store.rows(
    { id: text, name: text },
    "select permissionId as id, displayName as name from people where kind = 'user' order by displayName limit :limit",
    { limit },
  )
  const choices = [
    { name: 'type', any: 'Any type', options: types },
    {
      name: 'owner',
      any: 'Any owner',
      options: [['drive', 'A shared drive'], ...people.map(({ id, name }) => [id, name] as const)] as const,
    },
  ]
  return <Filters action={path} query={query} search="Search files" choices={choices} />
}
