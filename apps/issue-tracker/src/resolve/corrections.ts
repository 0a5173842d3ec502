import { isQualified, isReversal, type Candidate } from '@mcp-toolkits/core/references'
import { plainReading } from '../linear/references.ts'

export type ReferenceKind = 'team' | 'project' | 'initiative' | 'person' | 'label' | 'cycle' | 'workflow state'

/**
 * The candidates that a reference plausibly means although it equals none of them: "Project Apollo", a first name, "Sprint 4", "wip". The
 * first rule that finds any decides. They are proposed and never accepted.
 */
export function plausibleCandidates<C extends Candidate>(kind: ReferenceKind, reference: string, candidates: readonly C[]): readonly C[] {
  const text = plainReading(reference)
  // A long text is no slip.
  if (text.length > maxLength || isExclusion(reference)) return []
  for (const rule of [isWithoutKind, isInOtherNumber, ...rules[kind]]) {
    const written = { kind, words: wordsOf(text) }
    const found = candidates.filter((candidate) => rule(written, candidate, candidates) && !isTurnedAround(kind, text, candidate))
    if (found.length > 0) return found
  }
  return []
}

const maxLength = 100

/** A text that names what is not meant: "!Priya", "everyone except Ada". */
const excludes = /^[!~≠<>-]|\b(?:except|excluding|other than|anyone but|everyone but|without)\b|^not (?!started|begun)/i

export function isExclusion(reference: string): boolean {
  return excludes.test(plainReading(reference))
}

interface Written {
  readonly kind: ReferenceKind
  readonly words: readonly string[]
}

type Rule = (written: Written, candidate: Candidate, all: readonly Candidate[]) => boolean

/** Words for the kind of thing, which callers write beside its name. */
const kindWords: Readonly<Record<ReferenceKind, readonly string[]>> = {
  team: ['team', 'squad', 'group'],
  project: ['project'],
  initiative: ['initiative'],
  person: ['user', 'person', 'member', 'colleague'],
  label: ['label', 'tag'],
  cycle: ['cycle', 'sprint', 'iteration'],
  'workflow state': ['state', 'status', 'column'],
}
const articles = ['the', 'our', 'my', 'a', 'an']

/** People's names have no opposites, and what people call a state is on a list. */
function isTurnedAround(kind: ReferenceKind, text: string, { name }: Candidate): boolean {
  return kind !== 'person' && kind !== 'workflow state' && kind !== 'cycle' && isReversal(text, name)
}

/** The words of a text, without case and accents; names with dots and underscores are several words. */
function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}

function namesOf({ name, shortName, key, email }: Candidate): string[] {
  return [name, shortName, key, email?.split('@')[0]].filter((each) => each !== undefined)
}

/** "Project Apollo", "the Engineering team", "#bug", "@robin.vance". */
const isWithoutKind: Rule = ({ kind, words }, candidate) => {
  const ignored = [...kindWords[kind], ...articles]
  const rest = words.filter((word) => !ignored.includes(word)).join(' ')
  return rest !== '' && namesOf(candidate).some((name) => wordsOf(name).join(' ') === rest)
}

/** "bugs" for "bug", "customer requests" for "customer request". */
const isInOtherNumber: Rule = ({ words }, candidate) => {
  const text = words.map(singular).join(' ')
  return text !== '' && namesOf(candidate).some((name) => wordsOf(name).map(singular).join(' ') === text)
}

function singular(word: string): string {
  return word.length < 4 ? word : word.replace(/ies$/, 'y').replace(/(?<=s|x|z|ch|sh)es$|(?<!s)s$/, '')
}

/** Part of a name: all its words are words of the candidate, and at least one of them says something. */
const isPartOfName: Rule = ({ kind, words }, { name }) => {
  const all = wordsOf(name)
  return (
    words.some((word) => word.length >= 4) &&
    words.every((word) => all.includes(word)) &&
    !(kind === 'workflow state' && isReversal(words.join(' '), name))
  )
}

/** "eng ops": the beginnings of all words. */
const isAbbreviation: Rule = ({ words }, { name }) => {
  const all = wordsOf(name)
  return words.length === all.length && words.every((word, index) => word.length >= 3 && all[index]?.startsWith(word) === true)
}

/** A first name, a surname, or both in another order; one of them may be an initial. */
const isPersonsName: Rule = ({ words }, { name }) => {
  const all = wordsOf(name)
  const isWord = (word: string) => all.includes(word) || (word.length === 1 && all.some((each) => each.startsWith(word)))
  return words.length <= all.length && words.some((word) => word.length > 1) && words.every(isWord)
}

/** "#3", "Sprint 4", "no. 5". */
const isNumberOfCycle: Rule = ({ words }, { key }) => {
  const numbers = words.filter((word) => /^\d+$/.test(word)).map(Number)
  const others = words.filter((word) => !/^\d+$/.test(word) && ![...kindWords.cycle, ...articles, 'no', 'nr', 'number'].includes(word))
  return others.length === 0 && numbers.length === 1 && numbers[0] === Number(key)
}

const positions: Readonly<Record<string, string>> = {
  this: 'current',
  current: 'current',
  active: 'current',
  running: 'current',
  ongoing: 'current',
  next: 'next',
  upcoming: 'next',
  following: 'next',
}

/** "next sprint", "this cycle". */
const isPositionOfCycle: Rule = ({ words }, { type }) => {
  const [position, ...others] = words.filter((word) => ![...kindWords.cycle, ...articles].includes(word))
  return type !== undefined && others.length === 0 && position !== undefined && positions[position] === type
}

interface Meaning {
  readonly types: readonly string[]
  /** The name that is meant where the team has it. */
  readonly name?: string
  /** Whether no other name is meant. */
  readonly isOnlyName?: boolean
}

/** What people call workflow states, by the types that they can mean. */
const stateWords: readonly (readonly [words: string, meaning: Meaning])[] = [
  ['done|complete|completed|finished|resolved|fixed|shipped|released|merged', { types: ['completed'] }],
  ['wip|doing|in work|working|in development|in dev|ongoing|active|begun', { types: ['started'], name: 'in progress' }],
  [
    'review|code review|under review|reviewing|needs review|awaiting review|ready for review|pending review|pr review',
    { types: ['started'], name: 'in review', isOnlyName: true },
  ],
  ['to do|not started|not begun|planned|ready|up next|selected', { types: ['unstarted'], name: 'todo' }],
  ['cancelled|wontfix|wont fix|won t fix|wont do|won t do|rejected|dropped|abandoned|declined', { types: ['canceled'] }],
  ['dup|dupe|duplicated|dupes', { types: ['duplicate'] }],
  ['icebox|someday|later', { types: ['backlog'] }],
  ['untriaged|needs triage|inbox', { types: ['triage'] }],
  ['closed|close', { types: ['completed', 'canceled', 'duplicate'] }],
  ['new', { types: ['triage', 'backlog', 'unstarted'] }],
  ['open|opened|reopened', { types: ['triage', 'backlog', 'unstarted', 'started'] }],
]
const meanings = new Map(stateWords.flatMap(([words, meaning]) => words.split('|').map((word) => [word, meaning] as const)))

const isMeantState: Rule = ({ words }, candidate, all) => {
  const meaning = meanings.get(words.filter((word) => !kindWords['workflow state'].includes(word)).join(' '))
  if (!meaning || candidate.type === undefined || !meaning.types.includes(candidate.type)) return false
  const nameOf = ({ name }: Candidate) => wordsOf(name).join(' ')
  if (nameOf(candidate) === meaning.name) return true
  return meaning.isOnlyName !== true && (meaning.name === undefined || !all.some((each) => nameOf(each) === meaning.name))
}

const rules: Readonly<Record<ReferenceKind, readonly Rule[]>> = {
  team: [isPartOfName, isAbbreviation],
  project: [isPartOfName, isAbbreviation],
  initiative: [isPartOfName, isAbbreviation],
  person: [isPersonsName],
  label: [isPartOfName, isAbbreviation],
  cycle: [isNumberOfCycle, isPositionOfCycle, isPartOfName],
  'workflow state': [isMeantState, isPartOfName],
}

/** Whether two names agree on what a slip does not change: numbers, short words, direction and degree. */
export function mayBeSlip(written: string, name: string): boolean {
  const marks = (text: string) =>
    wordsOf(text)
      .filter((word) => word.length < 4 || /\d/.test(word))
      .join(' ')
  return (
    wordsOf(written).join('').length >= 4 &&
    (marks(written) === marks(name) || withoutDoubles(written) === withoutDoubles(name)) &&
    !isReversal(written, name) &&
    !isQualified(written, name)
  )
}

/** A doubled letter is a slip even in a short word: "bugg". A doubled digit makes another number. */
function withoutDoubles(text: string): string {
  return wordsOf(text)
    .map((word) => word.replaceAll(/(\p{L})\1+/gu, '$1'))
    .join(' ')
}

/** Whether a text means the caller, although it is not "@me". */
export function isSelfWord(reference: string): boolean {
  return /^@?(?:me|myself|self|i|current[ _-]?user(?:\(\))?|the current user|viewer|mine)$/i.test(plainReading(reference))
}

/** Whether a text means "no one" or "nothing". */
export function isNobody(reference: string): boolean {
  return /^(?:none|null|nothing|n\/a|nobody|no one|noone|no-one|unassigned|not assigned|no (?:assignee|project|cycle|sprint))$/i.test(
    plainReading(reference),
  )
}
