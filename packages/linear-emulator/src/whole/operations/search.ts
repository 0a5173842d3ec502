import { isObject, type JsonObject, stringAt, stringsIn } from '@mcp-toolkits/emulator'
import type { FieldResolver, Resolvers } from '../../entities/entity-module.ts'
import { badArgument } from '../../errors.ts'
import type { EntityRow } from '../../store/entity-type.ts'
import type { Session } from '../../store/session.ts'
import { sizeOf } from '../../store/tables.ts'
import { objectIn } from '../inputs.ts'

/** The texts in which a search looks, the first of which counts most. */
const searched: Readonly<Record<string, readonly string[]>> = {
  Issue: ['title', 'description'],
  Project: ['name', 'description', 'content'],
  Document: ['title', 'content'],
  Initiative: ['name', 'description', 'content'],
}

const wordsOf = (term: string) => term.toLowerCase().split(/\s+/).filter(Boolean)

/** How well a row fits: hits in the first text count three times. 0 unless every word occurs. */
function scoreOf(row: EntityRow, fields: readonly string[], words: readonly string[]): number {
  const texts = fields.map((field) => String(row[field] ?? '').toLowerCase())
  const scores = words.map((word) => texts.reduce((sum, text, index) => sum + (text.includes(word) ? (index === 0 ? 3 : 1) : 0), 0))
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0)
}

/** All rows of a type that contain every word, the best first. */
function find(session: Session, type: string, { term, args }: { readonly term: string; readonly args: JsonObject }): EntityRow[] {
  const words = wordsOf(term)
  if (words.length === 0) throw badArgument('term should not be empty.')
  const fields = searched[type] ?? []
  // Of issues, which may be many, the database selects those with the words.
  const matches = words.map((word) => ({ or: fields.map((field) => ({ [field]: { containsIgnoreCase: word } })) }))
  const filter = { and: [...(type === 'Issue' ? matches : []), objectIn(args['filter'])] }
  const scored = allRows(session, type, { filter, includeArchived: args['includeArchived'] === true }).map((row) => ({
    row,
    score: scoreOf(row, fields, words),
  }))
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ row }) => row)
}

/** The rows of every page. */
function allRows(session: Session, type: string, args: JsonObject): EntityRow[] {
  const rows: EntityRow[] = []
  for (let after: unknown; after !== null;) {
    const page = session.page(type, { ...args, first: 250, ...(after !== undefined && { after }) })
    rows.push(...page.nodes)
    const { hasNextPage, endCursor } = page.pageInfo()
    after = hasNextPage === true ? endCursor : null
  }
  return rows
}

const cursorAt = (index: number) => Buffer.from(`offset:${index}`).toString('base64url')

/** The place of a cursor in the results. */
function placeOf(cursor: unknown, absent: number): number {
  if (typeof cursor !== 'string') return absent
  const place = /^offset:(\d+)$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1]
  if (place === undefined) throw badArgument('The cursor is not one of this connection.')
  return Number(place)
}

/** A page of results by their places. */
function pageOf(rows: readonly EntityRow[], args: JsonObject) {
  const { size, backward } = sizeOf(args)
  const [low, high] = [placeOf(args['after'], -1) + 1, Math.min(placeOf(args['before'], rows.length), rows.length)]
  const start = backward ? Math.max(low, high - size) : low
  const nodes = rows.slice(start, backward ? high : Math.min(high, start + size))
  return {
    nodes: nodes.map((row) => ({ ...row, metadata: {} })),
    edges: nodes.map((row, index) => ({ cursor: cursorAt(start + index), node: { ...row, metadata: {} } })),
    pageInfo: {
      hasNextPage: start + nodes.length < rows.length,
      hasPreviousPage: start > 0,
      startCursor: nodes.length === 0 ? null : cursorAt(start),
      endCursor: nodes.length === 0 ? null : cursorAt(start + nodes.length - 1),
    },
    totalCount: rows.length,
    archivePayload: { archive: '', totalCount: 0, databaseVersion: 0, includesDependencies: [] },
  }
}

const searchFor =
  (type: string): FieldResolver =>
  (_, args, session) => {
    const { teamId } = args
    const rows = find(session, type, { term: stringAt(args, 'term'), args })
    return pageOf(
      typeof teamId === 'string' ? rows.toSorted((a, b) => Number(b['teamId'] === teamId) - Number(a['teamId'] === teamId)) : rows,
      args,
    )
  }

/** Finds by words what the vendor finds by meaning. */
const semanticSearch: FieldResolver = (_, args, session) => {
  const types = stringsIn(args['types'] ?? ['issue', 'project', 'initiative', 'document'])
  const results = types.flatMap((type) => {
    const name = type.slice(0, 1).toUpperCase() + type.slice(1)
    return find(session, name, { term: stringAt(args, 'query'), args: { includeArchived: args['includeArchived'] } }).map((row) => ({
      id: row['id'],
      type,
      [type]: row,
    }))
  })
  const { maxResults } = args
  return { enabled: true, results: results.slice(0, typeof maxResults === 'number' ? maxResults : 50) }
}

/** Searches by words. */
export const searchOperations: readonly Resolvers[] = [
  {
    Query: {
      searchIssues: searchFor('Issue'),
      searchProjects: searchFor('Project'),
      searchDocuments: searchFor('Document'),
      semanticSearch,
    },
    SemanticSearchResult: Object.fromEntries(
      ['issue', 'project', 'initiative', 'document'].map((type) => [
        type,
        (source: JsonObject) => (isObject(source[type]) ? source[type] : null),
      ]),
    ),
  },
]
