import { type Candidate, isMisspelling } from '@mcp-toolkits/core/references'
import { closedTypes } from '../linear/records.ts'
import { plainReading } from '../linear/references.ts'

export type ReferenceKind = 'team' | 'project' | 'milestone' | 'initiative' | 'document' | 'person' | 'label' | 'cycle' | 'workflow state'

/**
 * The candidates that a reference plausibly means without naming any of them exactly: "Project Apollo", a first name, "Sprint 4", "wip".
 * They are proposed but never accepted.
 */
export function plausibleCandidates<C extends Candidate>(kind: ReferenceKind, reference: string, candidates: readonly C[]): readonly C[] {
  const text = plainReading(reference)
  // Long text is not a slip of the pen.
  if (text.length > maxLength || isExclusion(reference)) return []
  const ignored = `${articles} ${kindWords[kind]}`.split(' ')
  const bare = wordsOf(text)
    .filter((word) => !ignored.includes(word))
    .join(' ')
  const named = candidates.filter((candidate) => isName(bare, candidate, candidates))
  return named.length > 0 ? named : candidates.filter((candidate) => rules[kind]?.(bare, candidate, candidates) === true)
}

const maxLength = 100

/** Text that excludes something by name: "!Priya", "everyone except Ada". */
const excludes = /^[!~≠<>-]|\b(?:except|excluding|other than|anyone but|everyone but|without)\b|^not (?!started|begun)/i

export function isExclusion(reference: string): boolean {
  return excludes.test(plainReading(reference))
}

/** Words around a name: articles, and words for the kind of thing. */
const articles = 'the our my a an'
const kindWords: Readonly<Record<ReferenceKind, string>> = {
  team: 'team squad group',
  project: 'project',
  milestone: 'milestone phase',
  initiative: 'initiative',
  document: 'document doc page',
  person: 'user person member colleague',
  label: 'label tag',
  cycle: 'cycle sprint iteration',
  'workflow state': 'state status column',
}

/** The words in text, without case and accents; names with dots and underscores count as several words. */
function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}

type Rule = (text: string, candidate: Candidate, all: readonly Candidate[]) => boolean

/** "Project Apollo", "the Engineering team", "#bug", "@robin.vance", "P. Nair". */
const isName: Rule = (text, { name, shortName, key, email }) => {
  const names = [name, shortName, key, email?.split('@')[0]].filter((each) => each !== undefined)
  return text !== '' && names.some((each) => wordsOf(each).join(' ') === text)
}

/** A first name, a surname, or both; one of them may be an initial. */
const isPersonsName: Rule = (text, { name }) => {
  const words = text.split(' ')
  const all = wordsOf(name)
  const isWord = (word: string) => all.includes(word) || (word.length === 1 && all.some((each) => each.startsWith(word)))
  return words.length <= all.length && words.some((word) => word.length > 1) && words.every(isWord)
}

const positions: Readonly<Record<string, string>> = {
  this: 'current',
  current: 'current',
  active: 'current',
  next: 'next',
  upcoming: 'next',
}

/** "Sprint 4", "no. 5", "next sprint", "this cycle". */
const isNumberOrPosition: Rule = (text, { key, type }) => {
  const [, number] = /^(?:(?:no|nr|number) )?(\d+)$/.exec(text) ?? []
  return number === undefined ? type !== undefined && positions[text] === type : Number(number) === Number(key)
}

/** Other words for workflow states: the types that each word can mean, and the name that takes precedence if the team has such a state. */
const stateWords: Readonly<Record<string, readonly [types: string, name?: string]>> = {
  'done|complete|completed|finished|resolved|fixed|shipped|released|merged|erledigt|fertig|termine|hecho|terminado|feito': ['completed'],
  'wip|doing|working|in development|in dev|ongoing|active|in arbeit|en cours|en curso|em andamento': ['started', 'in progress'],
  'review|code review|needs review|ready for review': ['', 'in review'],
  'to do|not started|planned|ready|up next|zu erledigen|a faire|por hacer|a fazer|da fare': ['unstarted', 'todo'],
  'not planned|cancelled|wontfix|wont fix|won t fix|wont do|won t do|rejected|dropped|abandoned|abgebrochen|annule|cancelado': ['canceled'],
  'dup|dupe|duplicated': ['duplicate'],
  'icebox|someday|later': ['backlog'],
  'untriaged|needs triage|inbox': ['triage'],
  'closed|close': ['completed canceled duplicate'],
  new: ['triage backlog unstarted'],
  'open|opened|reopen|reopened|offen|ouvert|abierto|aberto': ['triage backlog unstarted started'],
}

/** The type of a closed state that a word means, such as "not_planned". */
export function closedTypeIn(word: string): string | undefined {
  const text = wordsOf(word).join(' ')
  const [, [types = ''] = []] = Object.entries(stateWords).find(([words]) => words.split('|').includes(text)) ?? []
  return [text, types].find((each) => closedTypes.includes(each))
}

const isMeantState: Rule = (text, { name, type = '-' }, all) => {
  const find = (isWord: (word: string) => boolean) => Object.entries(stateWords).find(([words]) => words.split('|').some(isWord))?.[1]
  // A typo in short text or in a negation can mean a different state: "skipped" and "shipped", "non-started" and "not started".
  const isTypo = (word: string) => text.length > 8 && !/^no[nt]\b/.test(text) && isMisspelling(text, word)
  const [types = '', meant] = find((word) => word === text) ?? find(isTypo) ?? []
  const isMeant = (each: string) => wordsOf(each).join(' ') === meant
  return isMeant(name) || (types.split(' ').includes(type) && !all.some((each) => isMeant(each.name)))
}

const rules: Partial<Readonly<Record<ReferenceKind, Rule>>> = {
  person: isPersonsName,
  cycle: isNumberOrPosition,
  'workflow state': isMeantState,
}

/** True for text other than "@me" that means the caller. */
export function isSelfWord(reference: string): boolean {
  return /^@?(?:me|myself|self|i|current[ _-]?user(?:\(\))?|the current user|viewer|mine)$/i.test(plainReading(reference))
}

/** "not done", "unresolved": every state that is not closed. A sign, as in "!Done", excludes one state by its name. */
export function isUndone(reference: string): boolean {
  return /^(?:not|un|in|non)[ _-]*(?:yet )?(?:done|completed?|closed|finished|resolved)$/i.test(plainReading(reference))
}

/** True for text that means "no one" or "nothing". */
export function isNobody(reference: string): boolean {
  return /^(?:none|null|nothing|n\/a|nobody|no one|noone|no-one|unassigned|not assigned|no (?:assignee|project|cycle|sprint))$/i.test(
    plainReading(reference),
  )
}
