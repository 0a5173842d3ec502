import { integer } from '@mcp-toolkits/sqlite'
import { fileNotFound, forbidden, invalidParameter, invalidValue } from '../http/errors.ts'
import { applyMask, fileListShape, includesField, maskBelow, maskOf, readMask } from '../http/field-masks.ts'
import { createPageToken, type PagePosition, readPageToken } from '../http/page-tokens.ts'
import { personByAddress } from '../people/people.ts'
import { shownUntil } from '../session/index-lag.ts'
import type { Session } from '../session/session.ts'
import { permissionIdFor } from '../store/ids.ts'
import { folderType, type Item, itemById, rootOf, selectItems } from '../store/items.ts'
import { memberDrive } from '../store/shared-drives.ts'
import { itemTable, viewerValues } from '../store/viewers.ts'
import { type BoundValue, isRare, mentionsFullText, mentionsParents, toCondition, wantedWords, type WordRange } from './query-sql.ts'
import { parseQuery, type Query } from './query.ts'
import { defaultFields, fileResource } from './resource.ts'

/** The sort keys of lists, as never-null expressions: https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list. */
const sortKeys: Readonly<Record<string, string>> = {
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

/** A sort order for the items table, called `f`; the last key is unique. */
export interface Order {
  readonly keys: readonly string[]
  readonly descending: readonly boolean[]
  /** Parameters in the keys, which are SQL expressions. */
  readonly values?: BoundValue
}

/** Reads an `orderBy` parameter; by default, the items modified last come first. */
export function parseOrder(orderBy = 'modifiedTime desc'): Order {
  const wanted = orderBy.split(',').map((part) => /^\s*([a-zA-Z_]+)(?:\s+(asc|desc))?\s*$/.exec(part) ?? [])
  const found = wanted.map(([, name = '', desc]) => {
    const key = Object.hasOwn(sortKeys, name) ? sortKeys[name] : undefined
    if (key === undefined) throw invalidValue('orderBy')
    return { key, desc: desc === 'desc' }
  })
  const last = found.at(-1)?.desc ?? false
  return { keys: [...found.map(({ key }) => key), 'f.n'], descending: [...found.map(({ desc }) => desc), last] }
}

export const toOrderSql = (order: Order): string =>
  order.keys.map((key, index) => `${key}${order.descending[index] ? ' desc' : ''}`).join(', ')

/** Condition for the rows after a position: a single comparison, which an index supports, if all keys have the same direction. */
function toAfterSql(order: Order, place: PagePosition): { sql: string; values: Record<string, string | number> } {
  const values = Object.fromEntries(place.map((value, index): [string, string | number] => [`after${index}`, value]))
  const sign = (index: number) => (order.descending[index] ? '<' : '>')
  const names = Object.keys(values).map((name) => `:${name}`)
  const [first] = order.descending
  if (order.descending.every((desc) => desc === first))
    return { sql: `(${order.keys.join(', ')}) ${sign(0)} (${names.join(', ')})`, values }
  const steps = order.keys.map((key, index) =>
    [...order.keys.slice(0, index).map((equal, at) => `${equal} = :after${at}`), `${key} ${sign(index)} :after${index}`].join(' and '),
  )
  return { sql: `(${steps.map((step) => `(${step})`).join(' or ')})`, values }
}

/** Number of the query's words in a name, and length of the item's text. */
const [wordsInName, textLength] = [
  '(select count(*) from json_each(:relevant) where instr(f.nameWords, value) > 0)',
  'length(f.nameWords || f.textWords)',
]

/** The order of full-text searches: names with the most matching words first, then the shortest text. Drive does not document its order. */
const byRelevance = (query: Query): Order => ({
  keys: [wordsInName, textLength, 'f.n'],
  descending: [true, false, false],
  values: { relevant: JSON.stringify(wantedWords(query)) },
})

const numericKeys = new Set([textLength, sortKeys['folder'], sortKeys['quotaBytesUsed'], sortKeys['starred'], 'f.n'])

/** A position before all rows. */
const firstPosition = (order: Order): PagePosition =>
  order.keys.map((key, index) => (order.descending[index] === true ? '\u{10FFFF}' : numericKeys.has(key) ? -1 : ''))

const defaultListFields = maskOf('kind nextPageToken incompleteSearch', { files: defaultFields })

/** `GET /drive/v3/files` */
export function listFiles(session: Session): unknown {
  const { params, quirks } = session
  const mask = readMask(session, fileListShape, defaultListFields)
  const size = params.whole('pageSize', { usual: 100, largest: 1000 })
  const q = params.text('q') ?? ''
  const spaces = params.text('spaces') ?? 'drive'
  if (spaces !== 'drive') throw invalidValue('spaces')
  const query = q.trim() === '' ? undefined : parseQuery(q)
  const order = orderOf(session, query)
  const corpus = corpusOf(session, query)
  const listKey = JSON.stringify([q, params.text('orderBy'), corpus, session.caller.scopes, session.store.viewer.id])
  const place = readPageToken(params.text('pageToken'), listKey)
  if (place.length > 0 && place.length !== order.keys.length) throw invalidValue('pageToken')
  const { rows, next } = readPage(session, { query, corpus, order, place, size })
  const answer = {
    kind: 'drive#fileList',
    ...(next !== undefined && { nextPageToken: createPageToken(listKey, next) }),
    incompleteSearch: quirks.incompleteSearch,
  }
  const rest = applyMask(answer, mask)
  return includesField(mask, 'files') && typeof rest === 'object'
    ? { ...rest, files: rows.map((item) => fileResource(item, maskBelow(mask, 'files'), session)) }
    : rest
}

function orderOf({ params }: Session, query: Query | undefined): Order {
  const orderBy = params.text('orderBy')
  if (orderBy !== undefined && query !== undefined && mentionsFullText(query)) {
    throw forbidden(
      'forbidden',
      'Sorting is not supported for queries with fullText terms. Results are always in descending relevance order.',
      'orderBy',
    )
  }
  return query !== undefined && mentionsFullText(query) ? byRelevance(query) : parseOrder(orderBy)
}

/** The items searched by a listing, as a condition on `f`. */
interface Corpus {
  readonly where: string
  readonly driveId: string | null
}

/** https://developers.google.com/workspace/drive/api/guides/enable-shareddrives */
function corpusOf(session: Session, query: Query | undefined): Corpus {
  const { params } = session
  const corpora = params.text('corpora')
  const driveId = params.text('driveId') ?? params.text('teamDriveId')
  const withDrives = params.flag('includeItemsFromAllDrives') || params.flag('includeTeamDriveItems')
  if (corpora !== undefined && !['user', 'drive', 'allDrives', 'domain'].includes(corpora)) throw invalidValue('corpora')
  if ((driveId !== undefined) !== (corpora === 'drive')) {
    const message = driveId === undefined ? 'The driveId parameter must be specified if and only if corpora is set to drive.' : undefined
    throw invalidValue('driveId', message ?? 'The driveId parameter may only be used when corpora is set to drive.')
  }
  if (withDrives && !params.flag('supportsAllDrives') && !params.flag('supportsTeamDrives')) {
    throw invalidParameter('supportsAllDrives', 'supportsAllDrives must be true when includeItemsFromAllDrives is true.')
  }
  if ((corpora === 'drive' || corpora === 'allDrives') && !withDrives) {
    throw forbidden(
      'teamDrivesNotIncluded',
      'The includeItemsFromAllDrives parameter must be set to true for these corpora.',
      'includeItemsFromAllDrives',
    )
  }
  const own = withDrives ? [] : ['f.driveId is null']
  // A query for a folder's children finds them wherever the folder is.
  const isScoped = corpora === undefined && query !== undefined && namesOneFolder(query)
  const everything = corpora === 'allDrives' || isScoped
  const reach = corpora === 'domain' ? 'f.inDomain = 1' : everything ? "f.reach in ('user', 'drive')" : "f.reach = 'user'"
  if (driveId === undefined) return { where: [reach, ...own].join(' and '), driveId: null }
  return { where: "f.driveId = :driveId and f.reach in ('user', 'drive')", driveId: memberDrive(session, driveId).id }
}

/** True if the query asks only for one folder's children. */
function namesOneFolder(query: Query): boolean {
  return query.kind === 'and' ? query.parts.some(namesOneFolder) : query.kind === 'in' && mentionsParents(query)
}

interface ListQuery {
  readonly query: Query | undefined
  readonly corpus: Corpus
  readonly order: Order
  readonly place: PagePosition
  readonly size: number
}

function readPage(session: Session, { query, corpus, order, place, size }: ListQuery): { rows: Item[]; next?: PagePosition } {
  const { caller, store, quirks } = session
  const condition = query === undefined ? undefined : toCondition(query, queryContext(session))
  const isFirst = place.length === 0
  if (isFirst && quirks.shortPages) return { rows: [], next: firstPosition(order) }
  const limit = quirks.shortPages ? Math.max(1, Math.ceil(size / 2)) : size
  const after = isFirst ? undefined : toAfterSql(order, place)
  const values: BoundValue = {
    ...order.values,
    ...condition?.values,
    ...after?.values,
    ...(corpus.driveId !== null && { driveId: corpus.driveId }),
  }
  const where = [
    corpus.where,
    ...(caller.onlyGranted ? ['f.granted = 1'] : []),
    ...(quirks.indexLag > 0 ? ['f.indexedAt <= :indexed'] : []),
    ...(condition ? [condition.sql] : []),
    ...(after ? [after.sql] : []),
  ]
  if (quirks.indexLag > 0) values['indexed'] = shownUntil(session)
  const rows = selectItems(store, `where ${where.join(' and ')} order by ${toOrderSql(order)} limit :limit`, {
    ...values,
    limit: limit + 1,
  })
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  if (rows.length <= limit || last === undefined) return { rows: shown }
  return { rows: shown, next: positionOf(session, order, last) }
}

/** The values of the sort keys for an item. */
function positionOf({ store }: Session, order: Order, { id }: Item): (string | number)[] {
  const shape = Object.fromEntries(order.keys.map((_, index) => [`k${index}`, isSortValue]))
  const columns = order.keys.map((key, index) => `${key} as k${index}`).join(', ')
  const [values] = store.rows(shape, `select ${columns} from ${itemTable(store)} f where f.id = :id`, {
    id,
    ...order.values,
    ...viewerValues(store),
  })
  return Object.values(values ?? {})
}

const isSortValue = (value: unknown): value is string | number => typeof value === 'string' || integer(value)

function queryContext(session: Session) {
  const { store, quirks, caller } = session
  return {
    losesRows: quirks.dropsRowsOfParentQueries,
    isRare: (words: WordRange) => isRare(store, words),
    person: (address: string) =>
      address === 'me' ? store.viewer.id : (personByAddress(store, address)?.permissionId ?? permissionIdFor(address)),
    folder(id: string) {
      const root = rootOf(store)
      if (root !== undefined && (id === 'root' || (id === root.id && !caller.onlyGranted))) return root.id
      const item = itemById(store, id)
      if (item === undefined || !session.isVisible(item)) throw fileNotFound('.')
      return item.id
    },
  }
}
