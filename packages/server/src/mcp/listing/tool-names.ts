import type { JsonObject } from '@mcp-toolkits/core/base'
import { isMisspelling, isReversal, stem } from '@mcp-toolkits/core/references'
import { withImplied } from '@mcp-toolkits/core/tool'
import type { ToolVocabulary } from '../definition.ts'
import { type Action, actionOf, hasSameThings, isSameVerb, withoutNamespace, type WordReader } from './tool-words.ts'

/** A tool's name, its own or one that callers use, with the arguments that it implies. */
export interface Name {
  /** The tool's own name, without the prefix. */
  readonly tool: string
  readonly isRead: boolean
  readonly isOwn: boolean
  readonly words: readonly string[]
  readonly implied: JsonObject
}

/** All names of a tool, its own first. */
export function namesOf(tool: Pick<Name, 'tool' | 'isRead'>, read: WordReader, { names = {} }: ToolVocabulary): Name[] {
  const all = [[tool.tool, {}] as const, ...withImplied(names[tool.tool] ?? [])]
  return all.map(([text, implied], index) => ({ ...tool, isOwn: index === 0, words: read(text), implied }))
}

/** The clearly intended names, one per tool: the same words, the same action on the same thing, or a misspelling. */
export function findMeant(written: readonly string[], names: readonly Name[]): readonly Name[] {
  const possible = names.filter((each) => !isReversal(written.join('_'), each.words.join('_')))
  const action = actionOf(written)
  const rules = [
    (each: Name) => hasSameWords(written, each),
    (each: Name) => hasSameAction(action, each),
    (each: Name) =>
      each.isOwn && isSameVerb(action.verb, actionOf(each.words).verb) && isMisspelling(written.join('_'), each.words.join('_')),
  ]
  const found = onePerTool(rules.map((rule) => possible.filter(rule)).find(({ length }) => length > 0) ?? [])
  const rest = withoutNamespace(written)
  return found.length > 0 || !rest ? found : findMeant(rest, names)
}

const onePerTool = (names: readonly Name[]) => names.filter(({ tool }, index) => names.findIndex((other) => other.tool === tool) === index)

/** True for a name of the same words, in any order. */
export const hasSameWords = (written: readonly string[], { words }: Name): boolean =>
  words.join('') === written.join('') || words.toSorted().join() === written.toSorted().join()

/** True if both names mean the same action on the same thing. Only in a tool's own name does "add" mean "create". */
function hasSameAction(action: Action, { words, isOwn }: Name): boolean {
  const other = actionOf(words)
  const verb = (each: Action) => (isOwn && each.verb === 'add' ? 'create' : each.verb)
  return isSameVerb(verb(action), verb(other)) && hasSameThings(action, other)
}

/** The tools that list what a name gets, or get what it lists. */
export function findReading(written: readonly string[], names: readonly Name[]): readonly Name[] {
  const action = actionOf(written)
  const isReading = ({ verb }: Action) => verb === 'get' || verb === 'list'
  const isSame = ({ isRead, words }: Name) => isRead && isReading(actionOf(words)) && hasSameThings(action, actionOf(words))
  return isReading(action) ? onePerTool(names.filter(isSame)) : []
}

/** Tools that share the rarest words with a name, and whose verb could be meant, the most similar first. */
export function findSimilar(written: readonly string[], names: readonly Name[]): string[] {
  const action = actionOf(written)
  // A caller who wants to delete something may want to archive it.
  const wished = action.verb === 'delete' ? 'archive' : action.verb
  const wanted = action.things.map(stem)
  const similar = names
    .filter((each) => each.isOwn && isPossible(wished, each) && !isReversal([wished, ...wanted].join('_'), each.words.join('_')))
    .map(({ tool, words }) => ({
      tool,
      shared: actionOf(words)
        .things.map(stem)
        .filter((word) => wanted.includes(word)),
    }))
    .filter(({ shared }) => shared.length > 0)
  const rarity = (word: string) => 1 / similar.filter(({ shared }) => shared.includes(word)).length
  const score = ({ shared }: { readonly shared: readonly string[] }) => shared.reduce((sum, word) => sum + rarity(word), 0)
  return similar.toSorted((a, b) => score(b) - score(a)).map(({ tool }) => tool)
}

/** True if a tool could do part of what a verb asks. */
export function isPossible(wished: string | undefined, { isRead, words }: Name): boolean {
  if (wished === undefined) return true
  if (wished === 'get' || wished === 'list') return isRead
  const { verb } = actionOf(words)
  return /^(?:add|create|update|save)$/.test(wished)
    ? !isRead && (verb === undefined || /^(?:add|create|update|save|rename|move)$/.test(verb))
    : verb === wished
}
