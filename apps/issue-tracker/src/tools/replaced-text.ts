import { InvalidInput, type NextStep, printable, quote, redact, Unavailable } from '@mcp-toolkits/core/errors'
import { confirmChange, isBlank, isPlaceholder, sameText, type Shown } from '@mcp-toolkits/core/tool'
import type { LinearCall } from '../linear/client.ts'
import { plainText } from '../linear/stored.ts'
import type { MarkdownText } from './long-text.ts'

type TextParameter = 'description' | 'content' | 'body'

/** A changed record as Linear returned it: its text, and how its fields compare with what was sent. */
interface Written {
  /** The record's text; undefined if the response omits it. */
  readonly stored: string | undefined
  readonly shown: Shown
}

/** A change that may replace text. */
interface Replacement<Result extends Written> {
  readonly linear: LinearCall
  readonly parameter: TextParameter
  /** The new text; undefined for a change to other fields. */
  readonly text: MarkdownText | undefined
  /** True for a change that clears the text instead. */
  readonly isCleared?: boolean
  /** The text that Linear has; undefined if unknown. */
  readonly before: string | undefined
  /** Reads the current text from an offset. */
  readonly read: (offset: number) => NextStep
  /** The way to overwrite text regardless, if a tool has one, and whether the call uses it. */
  readonly onPurpose?: { readonly way: string; readonly isTaken: boolean }
  readonly write: () => Promise<Result>
}

/**
 * Makes a change, with notices about it: the text's length before and after, and the part that Linear has not stored. Throws before
 * writing if the text would delete parts that the caller did not mean to delete, or if the current text could not be read.
 */
export async function replaceText<Result extends Written>(
  replacement: Replacement<Result>,
): Promise<Result & { readonly notices: readonly (string | undefined)[] }> {
  const { parameter, text, isCleared = false, before, write } = replacement
  checkReplacement(replacement)
  const written = await write()
  const confirmed = confirmChange('Linear', written.shown)
  const lengths = lengthNotices(parameter, { before, passed: isCleared ? '' : text?.text, stored: written.stored })
  return { ...written, notices: [text?.notice, ...lengths, confirmed] }
}

/** Throws if text would delete parts that the caller did not mean to delete, or if the current text could not be read. */
export function checkReplacement(replacement: Omit<Replacement<Written>, 'write'>): void {
  const { text, onPurpose } = replacement
  if (text) checkShown(replacement, text.text)
  if (text && onPurpose?.isTaken !== true) checkNothingLost(replacement, text.text)
}

/** Throws `InvalidInput` for text with nothing visible. */
function checkShown({ parameter, onPurpose }: Pick<Replacement<Written>, 'parameter' | 'onPurpose'>, text: string): void {
  if (!isBlank(text)) return
  const hint = parameter === 'body' ? 'Pass the new text.' : 'Leave it out to keep the current text, or pass the new one.'
  const way = onPurpose === undefined ? '' : ` To empty it, leave it out and ${onPurpose.way.replace(' too', '')}.`
  throw new InvalidInput(`"${parameter}" contains nothing visible, and empty text never replaces existing text. ${hint}${way}`)
}

/** Number of characters in a page of a text; pages can also be multiples of this length. */
const pageLength = 500
const minPage = 1_000

/** Describes text that is a page of a longer text, perhaps edited; undefined if it neither begins nor ends where a page does. */
function pageOf(before: string, after: string): string | undefined {
  if (length(after) < minPage || length(after) > 0.9 * length(before)) return undefined
  const [first, last] = [after.trimStart().slice(0, 2 * minShared), after.trimEnd().slice(-2 * minShared)]
  const [start, end] = [before.indexOf(first), before.indexOf(last)]
  const endsAPage = end !== -1 && isPageBreak(before, end + last.length) && /\S/.test(before.slice(end + last.length))
  if (endsAPage) return 'ends where a page of the current text ends'
  return start > 0 && isPageBreak(before, start) ? 'begins where a page of the current text begins' : undefined
}

/** True if a page may begin or end at an index, or in the white space around it. */
function isPageBreak(text: string, index: number): boolean {
  const [left, right] = [text.slice(0, index), text.slice(index)]
  const [first, last] = [length(left.trimEnd()), length(left) + length(right) - length(right.trimStart())]
  return Math.floor(last / pageLength) * pageLength >= Math.max(first, pageLength)
}

/** Throws for text that contains only part of the current text, because a caller who read only that part would delete the rest. */
function checkNothingLost(replacement: Omit<Replacement<Written>, 'write' | 'text'>, after: string): void {
  const { parameter, before, read, onPurpose } = replacement
  if (before === undefined) throw unread(replacement)
  if (before !== '' && isPlaceholder(after))
    throw new InvalidInput(`"${parameter}" is ${quote(after)}, which never replaces text: programs write it for a missing value.`)
  // The caller has seen the current text as shown: invisible characters are visible, and secrets are not.
  const asShown = (text: string) => plainText(printable(redact(text)))
  const fault = leftOut(plainText(before), plainText(after)) ?? leftOut(asShown(before), asShown(after)) ?? pageOf(before, after)
  if (fault === undefined || sameText(before, after)) return
  const [had, has] = [length(before), length(after)]
  const way = onPurpose?.way ?? 'write another text first, then this one'
  throw new InvalidInput(
    `"${parameter}" ${fault} (${shown(has)} of ${shown(had)} characters): the rest would be deleted. Read the rest and pass the whole text. To keep only this text on purpose, ${way}.`,
    { next: read(fault.includes('beginning') || fault.startsWith('ends') ? Math.min(has, had) : 0) },
  )
}

/** Error for text that would replace text that could not be read. */
function unread({ linear, parameter, onPurpose }: Omit<Replacement<Written>, 'write' | 'text'>): Unavailable {
  const retryable = ![parameter, 'content'].some((field) => linear.lacks(field))
  const hint = `${retryable ? 'Try again once. ' : ''}To replace it without reading it, ${onPurpose?.way ?? 'use Linear itself'}.`
  const message = `Linear's response leaves out the current ${parameter}, which may contain more than the new one; nothing was changed. ${hint}`
  return new Unavailable(message, { retryable })
}

interface Lengths {
  readonly before: string | undefined
  readonly passed: string | undefined
  readonly stored: string | undefined
}

/** Notices for a replaced text: its length before and after, and a warning if Linear stored only part of it. */
export function lengthNotices(parameter: TextParameter, { before, passed, stored }: Lengths): string[] {
  if (passed === undefined || stored === undefined || stored === before) return []
  const has = shown(length(stored))
  const replaced =
    before === undefined
      ? `The ${parameter} now has ${has} characters; the previous one could not be read.`
      : `The ${parameter} had ${shown(length(before))} characters and now has ${has}.`
  return [...(before === '' ? [] : [replaced]), ...cutNotice(parameter, passed, stored)]
}

/** Notice for text if Linear stored much less of it than was passed. */
export function cutNotice(parameter: TextParameter, passed: string | null | undefined, stored: string | undefined): string[] {
  if (passed == null || !stored || length(plainText(stored)) >= 0.9 * length(plainText(passed))) return []
  return [`Linear stored only ${shown(length(stored))} of the ${shown(length(passed))} characters of the ${parameter}.`]
}

const length = (text: string) => Array.from(text).length
const shown = (number: number) => number.toLocaleString('en')

/** Number of characters to compare around a mark: fewer may match by chance. */
const minShared = 20
/** Number of characters that must match after a mark: fewer, because the rest may have changed. */
const minFollowing = 12
/** Maximum number of marks to check, so that text made up of marks does not take long. */
const maxMarks = 100

/** Dots, brackets and HTML comments, which may say that text continues. */
const marks = /\[[^[\]]{1,120}\]|\([^()]{1,120}\)|<!--[^>]{1,120}-->|…/g
const goesOn =
  /…|\b(?:rest|remaining|remainder|unchanged|omitted|truncated|cut|snip|snipped|existing|same|continue[sd]|as (?:before|above|is|it (?:was|is)))\b/i
/** A last sentence such as "The rest stays as it was." */
const lastSentence =
  /\b(?:(?:the|all) )?(?:rest|remaining|remainder|everything else)\b[^.!?…]{0,80}\b(?:unchanged|omitted|truncated|same|stays?|kept|as (?:before|above|is|it (?:was|is)))\b[^.!?…]{0,20}[.!]?$/i
const phraseWords = new Set(
  'the this all everything else keep keeps leave rest remaining remainder of existing current original previous description text body comment content is are stay stays remain remains same as before above it was unchanged not changed omitted truncated kept for brevity'.split(
    ' ',
  ),
)

/**
 * Describes text that is only part of the current text, or omits a part at a mark; undefined if it is complete. Both arguments are plain
 * text.
 */
function leftOut(present: string, text: string): string | undefined {
  const [before, after] = [present, text].map((each) => each.replaceAll(/ ?\.{3,}| …/g, '…'))
  if (!before || !after) return undefined
  if (isPhrase(after)) return 'stands for the current text'
  if (after.length < before.length) {
    if (before.startsWith(after)) return 'is only the beginning of the current text'
    if (before.endsWith(after)) return 'is only the end of the current text'
    if (after.length >= minShared && after.includes(' ') && before.includes(after)) return 'is only a part of the current text'
  }
  const found = [...after.matchAll(marks)].filter(([mark]) => goesOn.test(mark)).slice(0, maxMarks)
  const last = lastSentence.exec(after.slice(-160))
  const places = found.map(({ 0: mark, index }) => ({ mark, index }))
  if (last) places.push({ mark: last[0], index: after.length - last[0].length })
  return places.some((place) => isCutAt(before, after, place)) ? 'leaves out a part of the current text' : undefined
}

/** True for text that only says that the rest stays as before. */
function isPhrase(text: string): boolean {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
  return text.length <= 120 && words.every((word) => phraseWords.has(word)) && goesOn.test(text) && !/^\W*same\W*$/i.test(text)
}

function isCutAt(before: string, after: string, { mark, index }: { readonly mark: string; readonly index: number }): boolean {
  const end = index + mark.length
  const here = after.slice(Math.max(0, index - minShared), index < minShared ? end + minShared : end)
  if (before.includes(here)) return false
  const [left, right] = [endTrimmed(after.slice(0, index)), startTrimmed(after.slice(end))]
  if (left === '' && mark !== '…') return true
  if (before.startsWith(left) && before.endsWith(right) && left.length + right.length < endTrimmed(before).length) return true
  return goesOnAfter(before, left, right) || wentBefore(before, left, right)
}

/** True if the current text continues after the words to the left of a mark, but not with those to its right. */
function goesOnAfter(before: string, left: string, right: string): boolean {
  const words = left.slice(-minShared)
  const at = words.length < minShared ? -1 : before.indexOf(words)
  if (at === -1) return false
  const [end, next] = [at + words.length, right.slice(0, minShared)]
  // The words to the mark's right come later in the current text, which may repeat the words in between.
  if (next.length === minShared && before.lastIndexOf(next) > end + minFollowing) return true
  return !right.includes(startTrimmed(before.slice(end)).slice(0, minFollowing))
}

function wentBefore(before: string, left: string, right: string): boolean {
  const words = right.slice(0, minShared)
  const at = words.length < minShared ? -1 : before.indexOf(words)
  return at !== -1 && !left.includes(endTrimmed(before.slice(0, at)).slice(-minFollowing))
}

const isWordCharacter = /[\p{L}\p{N}]/u

function startTrimmed(text: string): string {
  const at = text.search(isWordCharacter)
  return at === -1 ? '' : text.slice(at)
}

/** Text up to its last letter or digit. */
function endTrimmed(text: string): string {
  let end = text.length
  while (end > 0 && !isWordCharacter.test(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
