import { folderType } from '../items.ts'
import { invalid } from '../refusals.ts'
import type { Place } from '../page-tokens.ts'

/** What lists can be ordered by, as expressions that are never null: https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list. */
const keys: Readonly<Record<string, string>> = {
  createdTime: 'f.createdTime',
  folder: `(f.mimeType <> '${folderType}')`,
  modifiedByMeTime: "coalesce(f.modifiedByMeTime, '')",
  modifiedTime: 'f.modifiedTime',
  name: 'f.nameFold',
  name_natural: 'f.nameNatural',
  quotaBytesUsed: 'coalesce(f.size, 0)',
  recency: "max(f.modifiedTime, coalesce(f.viewedByMeTime, ''), coalesce(f.sharedWithMeTime, ''))",
  sharedWithMeTime: "coalesce(f.sharedWithMeTime, '')",
  starred: '(1 - f.starred)',
  viewedByMeTime: "coalesce(f.viewedByMeTime, '')",
}

/** An order of the table of items, called `f`: the last key tells every two items apart. */
export interface Order {
  readonly keys: readonly string[]
  readonly descending: readonly boolean[]
}

/** Reads an `orderBy` parameter; without one the latest come first. */
export function parseOrder(orderBy = 'modifiedTime desc'): Order {
  const wanted = orderBy.split(',').map((part) => /^\s*([a-zA-Z_]+)(\s+desc)?\s*$/.exec(part) ?? [])
  const found = wanted.map(([, name = '', desc]) => {
    const key = Object.hasOwn(keys, name) ? keys[name] : undefined
    if (key === undefined) throw invalid('orderBy')
    return { key, desc: desc !== undefined }
  })
  const last = found.at(-1)?.desc ?? false
  return { keys: [...found.map(({ key }) => key), 'f.n'], descending: [...found.map(({ desc }) => desc), last] }
}

export const orderSql = (order: Order): string =>
  order.keys.map((key, index) => `${key}${order.descending[index] ? ' desc' : ''}`).join(', ')

/** What comes after a place: one comparison where all keys run the same way, since an index serves that. */
export function afterSql(order: Order, place: Place): { sql: string; values: Record<string, string | number> } {
  const values = Object.fromEntries(place.map((value, index): [string, string | number] => [`after${index}`, value]))
  const sign = (index: number) => (order.descending[index] ? '<' : '>')
  const [first] = order.descending
  if (order.descending.every((desc) => desc === first)) {
    return {
      sql: `(${order.keys.join(', ')}) ${sign(0)} (${Object.keys(values)
        .map((name) => `:${name}`)
        .join(', ')})`,
      values,
    }
  }
  const steps = order.keys.map((key, index) =>
    [...order.keys.slice(0, index).map((equal, at) => `${equal} = :after${at}`), `${key} ${sign(index)} :after${index}`].join(' and '),
  )
  return { sql: `(${steps.map((step) => `(${step})`).join(' or ')})`, values }
}

/** An order for searches of contents, since Drive tells nothing of its own: what says least else comes first. */
export const byRelevance: Order = { keys: ['length(f.nameWords || f.textWords)', 'f.n'], descending: [false, false] }

const numbers = new Set([byRelevance.keys[0], keys['folder'], keys['quotaBytesUsed'], keys['starred'], 'f.n'])

/** A place before everything else. */
export const beginning = (order: Order): Place =>
  order.keys.map((key, index) => (order.descending[index] === true ? '\u{10FFFF}' : numbers.has(key) ? -1 : ''))
