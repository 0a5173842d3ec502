import { isObject, type JsonObject, stringAt, stringsIn } from '@mcp-toolkits/emulator'
import type { EntityModule, FieldResolver } from '../engine/entity-module.ts'
import { capitalize } from '../engine/records.ts'
import { badArgument } from '../errors.ts'
import { optionalObject } from '../engine/inputs.ts'
import type { Entity } from '../store/entity-type.ts'
import type { Session } from '../store/session.ts'
import { containingWords } from '../issues/issues.ts'
import { foldCase } from '../store/filters.ts'
import { sizeOf } from '../store/tables.ts'

/** Searched fields, most important first; issues are searched through columns of an index. */
const searched: Readonly<Record<string, readonly string[]>> = {
  Project: ['name', 'description', 'content'],
  Document: ['title', 'content'],
  Initiative: ['name', 'description', 'content'],
}

const wordsOf = (term: string) => term.toLowerCase().split(/\s+/).filter(Boolean)

/** A row's score, as for issues: hits in the first field count three times. 0 unless every word occurs. */
function scoreOf(row: Entity, fields: readonly string[], words: readonly string[]): number {
  const texts = fields.map((field) => String(row[field] ?? '').toLowerCase())
  const scores = words.map((word) => texts.reduce((sum, text, index) => sum + (text.includes(word) ? (index === 0 ? 3 : 1) : 0), 0))
  return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0)
}

/** The ids of all rows of a type that contain every word, best first. */
function find(session: Session, type: string, term: string, args: JsonObject): readonly string[] {
  const words = wordsOf(term)
  if (words.length === 0) throw badArgument('term should not be empty.')
  if (type === 'Issue') return findIssues(session, words, args)
  const found = allRows(session, type, { filter: optionalObject(args['filter']), includeArchived: args['includeArchived'] === true })
  return found
    .map((row) => ({
      id: row.id,
      inTeam: Number(typeof args['teamId'] === 'string' && row['teamId'] === args['teamId']),
      score: scoreOf(row, searched[type] ?? [], words),
    }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.inTeam - a.inTeam || b.score - a.score)
    .map(({ id }) => id)
}

/** Finds issues. There may be many, so the database selects and sorts them without reading the rows. */
function findIssues(session: Session, words: readonly string[], args: JsonObject): readonly string[] {
  const { teamId, includeArchived } = args
  const score = (list: string) =>
    `(select sum(3 * (instr(a.titleFold, value) > 0) + (instr(coalesce(a.descriptionFold, ''), value) > 0)) from json_each(${list}))`
  return session.rankIds({
    type: 'Issue',
    args: { filter: containingWords(words, args['filter']), includeArchived: includeArchived === true },
    keys: (bind) => [
      ...(typeof teamId === 'string' ? [`a.teamId = ${bind(teamId)}`] : []),
      score(bind(JSON.stringify(words.map(foldCase)))),
    ],
  })
}

/** The rows on all pages. */
function allRows(session: Session, type: string, args: JsonObject): Entity[] {
  const rows: Entity[] = []
  for (let after: unknown; after !== null;) {
    const page = session.page(type, { ...args, first: 250, ...(after !== undefined && { after }) })
    rows.push(...page.nodes)
    const { hasNextPage, endCursor } = page.pageInfo()
    after = hasNextPage === true ? endCursor : null
  }
  return rows
}

const cursorAt = (index: number) => Buffer.from(`offset:${index}`).toString('base64url')

/** A cursor's position in the results. */
function placeOf(cursor: unknown, absent: number): number {
  if (typeof cursor !== 'string') return absent
  const place = /^offset:(\d+)$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1]
  if (place === undefined) throw badArgument('The cursor does not belong to this connection.')
  return Number(place)
}

/** A page of results, by position. */
function pageOf(ids: readonly string[], args: JsonObject, rowOf: (id: string) => Entity) {
  const { size, backward } = sizeOf(args)
  const [low, high] = [placeOf(args['after'], -1) + 1, Math.min(placeOf(args['before'], ids.length), ids.length)]
  const start = backward ? Math.max(low, high - size) : low
  const nodes = ids.slice(start, backward ? high : Math.min(high, start + size)).map(rowOf)
  return {
    nodes: nodes.map((row) => ({ ...row, metadata: {} })),
    edges: nodes.map((row, index) => ({ cursor: cursorAt(start + index), node: { ...row, metadata: {} } })),
    pageInfo: {
      hasNextPage: start + nodes.length < ids.length,
      hasPreviousPage: start > 0,
      startCursor: nodes.length === 0 ? null : cursorAt(start),
      endCursor: nodes.length === 0 ? null : cursorAt(start + nodes.length - 1),
    },
    totalCount: ids.length,
    archivePayload: { archive: '', totalCount: 0, databaseVersion: 0, includesDependencies: [] },
  }
}

const searchFor =
  (type: string): FieldResolver =>
  (_, args, session) =>
    pageOf(find(session, type, stringAt(args, 'term'), args), args, (id) => session.get(type, id))

/** Finds rows by words, where the vendor finds them by meaning. */
const semanticSearch: FieldResolver = (_, args, session) => {
  const types = stringsIn(args['types'] ?? ['issue', 'project', 'initiative', 'document'])
  const results = types.flatMap((type) => {
    const name = capitalize(type)
    const ids = find(session, name, stringAt(args, 'query'), { includeArchived: args['includeArchived'] })
    return ids.map((id) => ({ id, type, name }))
  })
  const { maxResults } = args
  const shown = results.slice(0, typeof maxResults === 'number' ? maxResults : 50)
  return { enabled: true, results: shown.map(({ id, type, name }) => ({ id, type, [type]: session.get(name, id) })) }
}

export const searches: EntityModule = {
  resolvers: {
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
}
