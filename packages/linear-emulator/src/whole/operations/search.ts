import { isObject, type JsonObject, stringAt, stringsIn } from '@mcp-toolkits/emulator'
import type { FieldResolver, Resolvers } from '../../entities/entity-module.ts'
import { badArgument } from '../../errors.ts'
import type { EntityRow } from '../../store/entity-type.ts'
import type { Session } from '../../store/session.ts'
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
  const matches = words.map((word) => ({
    or: fields.filter((field) => type !== 'Project' || field === 'name').map((field) => ({ [field]: { containsIgnoreCase: word } })),
  }))
  const page = { first: 250, includeArchived: args['includeArchived'] === true }
  const filter = type === 'Issue' || type === 'Document' ? { and: [...matches, objectIn(args['filter'])] } : objectIn(args['filter'])
  const found = session.page(type, { ...page, filter }).nodes.map((row) => ({ row, score: scoreOf(row, fields, words) }))
  return found
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ row }) => row)
}

/** A page of results by their number, as `offset:10`. */
function pageOf(rows: readonly EntityRow[], args: JsonObject) {
  const { first = 50, after } = args
  const start = typeof after === 'string' ? Number(/^offset:(\d+)$/.exec(Buffer.from(after, 'base64url').toString())?.[1] ?? Number.NaN) : 0
  if (!Number.isFinite(start)) throw badArgument('The cursor is not one of this connection.')
  const nodes = rows.slice(start, start + Number(first))
  const cursor = (index: number) => Buffer.from(`offset:${start + index + 1}`).toString('base64url')
  return {
    nodes: nodes.map((row) => ({ ...row, metadata: {} })),
    edges: nodes.map((row, index) => ({ cursor: cursor(index), node: { ...row, metadata: {} } })),
    pageInfo: {
      hasNextPage: start + nodes.length < rows.length,
      hasPreviousPage: start > 0,
      startCursor: nodes.length === 0 ? null : cursor(0),
      endCursor: nodes.length === 0 ? null : cursor(nodes.length - 1),
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
