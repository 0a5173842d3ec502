import { integer, type Store } from '@mcp-toolkits/sqlite'
import type { Collection, FlagField, Query } from './query.ts'
import { foldCase, splitWords } from '../store/items.ts'

/** Facts that a condition needs besides its query. */
interface QueryContext {
  /** A folder's id; throws if there is no such folder. */
  readonly folder: (id: string) => string
  /** A person's permission id. */
  readonly person: (address: string) => string
  /** True if the words occur in so few items that all of these can be read. */
  readonly isRare: (words: WordRange) => boolean
  /** True if alternatives lose rows, as in Drive: https://issuetracker.google.com/issues/149522397. */
  readonly losesRows: boolean
}

export type BoundValue = Record<string, string | number>

/** A condition on the items table, called `f`. */
export interface Condition {
  readonly sql: string
  readonly values: BoundValue
}

interface ConditionBuilder extends QueryContext {
  readonly bind: (value: string) => string
}

/** Turns a query into a condition. */
export function toCondition(query: Query, context: QueryContext): Condition {
  const values: BoundValue = {}
  const bind = (value: string) => {
    const name = `q${Object.keys(values).length}`
    values[name] = value
    return `:${name}`
  }
  return { sql: toSql(query, { ...context, bind }), values }
}

function toSql(query: Query, builder: ConditionBuilder): string {
  switch (query.kind) {
    case 'and':
      return joinBalanced(
        query.parts.map((part) => toSql(part, builder)),
        'and',
      )
    case 'or':
      return toAlternatives(query.parts, builder)
    case 'not':
      return `not ${toSql(query.part, builder)}`
    case 'text':
      return textSql(query, builder)
    case 'moment':
      return `(coalesce(f.${query.field}, '') <> '' and f.${query.field} ${query.operator} ${builder.bind(query.value)})`
    case 'flag':
      return flags[query.field](query.value)
    case 'in':
      return collectionSql(query, builder)
    case 'property':
      return propertySql(query, builder)
    case 'visibility':
      return `(${visibilitySql} ${query.operator} ${builder.bind(query.value)})`
  }
}

/** Compares names in a single `in`, which uses the index; joins other parts as a balanced tree, because SQLite limits the depth. */
function toAlternatives(parts: readonly Query[], builder: ConditionBuilder): string {
  const names = parts.filter((part) => part.kind === 'text' && part.field === 'name' && part.operator === '=')
  const others = parts.filter((part) => !names.includes(part))
  const bound = names.map((part) => builder.bind(part.kind === 'text' ? foldCase(part.value) : ''))
  const lookup = bound.length === 0 ? [] : [`f.nameFold in (${bound.join(', ')})`]
  const [firstParentTerm] = others.filter(mentionsParents)
  const isLost = (part: Query) => builder.losesRows && mentionsParents(part) && part !== firstParentTerm
  return joinBalanced([...lookup, ...others.map((part) => (isLost(part) ? 'false' : toSql(part, builder)))], 'or')
}

function mentions(query: Query, isWanted: (term: Query) => boolean): boolean {
  if (query.kind === 'not') return mentions(query.part, isWanted)
  return query.kind === 'and' || query.kind === 'or' ? query.parts.some((part) => mentions(part, isWanted)) : isWanted(query)
}

/** True for a query with an `in parents` term. */
export const mentionsParents = (query: Query): boolean => mentions(query, (term) => term.kind === 'in' && term.collection === 'parents')

/** True for a query that searches contents. */
export const mentionsFullText = (query: Query): boolean => mentions(query, (term) => term.kind === 'text' && term.field === 'fullText')

function joinBalanced(parts: readonly string[], word: 'and' | 'or'): string {
  const [first] = parts
  if (parts.length < 2) return first ?? 'true'
  const half = Math.ceil(parts.length / 2)
  return `(${joinBalanced(parts.slice(0, half), word)} ${word} ${joinBalanced(parts.slice(half), word)})`
}

/** Conditions, written exactly as in the indexes, so that SQLite can use the indexes. */
const flags: Readonly<Record<FlagField, (value: boolean) => string>> = {
  trashed: (value) => `(f.trashed = ${Number(value)})`,
  starred: (value) => `(f.starred = ${Number(value)})`,
  sharedWithMe: (value) => `(f.sharedWithMeTime is ${value ? 'not ' : ''}null)`,
}

function textSql({ field, operator, value }: Extract<Query, { kind: 'text' }>, builder: ConditionBuilder): string {
  if (field === 'fullText') return fullText(value, builder)
  if (operator === 'contains') return field === 'name' ? prefixSql(value, builder) : mimePrefixSql(value, builder)
  const column = field === 'name' ? 'f.nameFold' : 'f.mimeType'
  return `(${column} ${operator} ${builder.bind(field === 'name' ? foldCase(value) : value)})`
}

/** Condition that every word begins a word in the name. */
function prefixSql(value: string, builder: ConditionBuilder): string {
  const words = splitWords(value)
  const found = words.map((word) => `instr(f.nameWords, ${builder.bind(` ${word}`)}) > 0`)
  return words.length === 0 ? 'false' : joinBalanced([...holdersOf(words.map(wordsFrom), builder), ...found], 'and')
}

/** Condition that an item contains a rare word; it uses an index. Empty if no word is rare. */
function holdersOf(words: readonly WordRange[], { isRare, bind }: ConditionBuilder): string[] {
  const rare = words.find(isRare)
  return rare ? [`f.n in (select n from emulator_words where word >= ${bind(rare.from)} and word < ${bind(rare.to)})`] : []
}

const mimePrefixSql = (value: string, { bind }: ConditionBuilder) => `(instr(f.mimeType, ${bind(value)}) = 1)`

/** Whole words, and phrases in double quotes, each between spaces. */
function piecesOf(value: string): string[] {
  const pieces = value.split('"').flatMap((piece, index) => (index % 2 === 1 ? [splitWords(piece).join(' ')] : splitWords(piece)))
  return pieces.filter((piece) => piece !== '').map((piece) => ` ${piece} `)
}

/** The words and phrases that a query searches contents for. */
export function wantedWords(query: Query): string[] {
  if (query.kind === 'text') return query.field === 'fullText' ? piecesOf(query.value) : []
  return query.kind === 'and' || query.kind === 'or' ? query.parts.flatMap(wantedWords) : []
}

function fullText(value: string, builder: ConditionBuilder): string {
  const wanted = piecesOf(value)
  const found = wanted.map((piece) => `instr(f.nameWords || f.textWords, ${builder.bind(piece)}) > 0`)
  const words = wanted.flatMap((piece) => piece.trim().split(' ')).map(oneWord)
  return wanted.length === 0 ? 'false' : joinBalanced([...holdersOf(words, builder), ...found], 'and')
}

const roles: Readonly<Record<Exclude<Collection, 'parents' | 'owners'>, string>> = {
  writers: "'writer', 'fileOrganizer', 'organizer'",
  readers: "'reader', 'commenter', 'writer', 'fileOrganizer', 'organizer'",
}

function collectionSql({ collection, value }: Extract<Query, { kind: 'in' }>, builder: ConditionBuilder): string {
  if (collection === 'parents') {
    // Uses the index, and is false rather than null for an item without a parent.
    return `(f.parentId = ${builder.bind(builder.folder(value))} and f.parentId is not null)`
  }
  const person = builder.bind(builder.person(value))
  const owns = `coalesce(f.ownerId, '') = ${person}`
  if (collection === 'owners') return `(${owns})`
  return `(${owns} or exists (select 1 from permissions p where p.fileId = f.id and p.permissionId = ${person} and p.role in (${roles[collection]})))`
}

const propertySql = ({ field, key, value }: Extract<Query, { kind: 'property' }>, { bind }: ConditionBuilder) =>
  `exists (select 1 from json_each(coalesce(f.${field}, '{}')) e where e.key = ${bind(key)} and e.value = ${bind(value)})`

/** The widest sharing of an item and the folders above it. Drive does not document which one counts if there are several. */
const visibilitySql = `coalesce((with recursive above (id) as (
  select f.id union all select u.parentId from files u join above on u.id = above.id where u.parentId is not null)
select p.type || case when p.allowFileDiscovery = 1 then 'CanFind' else 'WithLink' end from permissions p join above on above.id = p.fileId
where p.type in ('anyone', 'domain') order by p.type, coalesce(p.allowFileDiscovery, 0) desc limit 1), 'limited')`

/** Words from `from` up to, but not including, `to`. */
export interface WordRange {
  readonly from: string
  readonly to: string
}

/** All words with this beginning. */
const wordsFrom = (beginning: string): WordRange => ({ from: beginning, to: `${beginning}\u{10FFFF}` })

/** One word alone. */
const oneWord = (word: string): WordRange => ({ from: word, to: `${word}\0` })

/** Maximum number of items containing a rare word. With more, a scan in list order soon finds a page of them. */
const few = 1_000

/** True if the words occur in so few items that all of these can be read. */
export function isRare(store: Store, { from, to }: WordRange): boolean {
  const sql = 'select count(*) as found from (select 1 from emulator_words where word >= :from and word < :to limit :limit)'
  return (store.rows({ found: integer }, sql, { from, to, limit: few + 1 })[0]?.found ?? 0) <= few
}
