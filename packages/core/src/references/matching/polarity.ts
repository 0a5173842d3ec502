import leven from 'leven'

/** Words that turn the meaning of the others around, wherever they stand. */
const negations = list('not non no never without except excepting dont doesnt isnt arent cannot cant wont minus anti')

/** Beginnings of words that do the same, where the rest is the other word: `unstarted`, `non-member`. */
const negativePrefixes = list('un non not no de dis in im ir il ex anti')
/** Those that negate a text when they are its first word: `Ex-customers`, but not "Rio de Janeiro". */
const detachedPrefixes = list('un non de dis ex')

/** Words for taking something away. A name with one of them never means a name without. */
const removals = list(
  'remove delete drop disable exclude omit skip ignore hide clear unset revoke suppress mute silence deny reject prevent detach discard erase stop',
)

/** Words for a direction. A text with one never means a text without: `created_at` is not `created_after`. */
const directions = [list('before until till prior earlier'), list('after since later'), list('desc descending reverse')]

/** Words that weaken what the others say. */
const qualifiers = list('almost nearly about half partly partially mostly barely hardly possibly maybe probably')

/** Words that exclude each other: a text with a word from one group never means a text with a word from a different group. */
const opposites: readonly (readonly (readonly string[])[])[] = [
  directions,
  [
    list('create creation add new make insert'),
    list('update modify change edit'),
    list('complete finish end'),
    list('start begin'),
    list('archive'),
    list('delete remove trash'),
    list('pause'),
    list('cancel'),
  ],
  [list('start begin first'), list('end finish stop last target due deadline')],
  [list('include also all'), list('only restrict')],
  [list('enable activate on'), list('disable deactivate off')],
  [list('open reopen'), list('close shut')],
  [list('block'), list('blocked')],
  [list('min minimum least lowest smallest'), list('max maximum most highest largest')],
  [list('high'), list('low')],
  [list('source src from origin'), list('destination dest target to')],
  [list('parent'), list('child children sub subissue')],
  [list('previous prev old oldest'), list('next new newest latest')],
  [list('asc ascending'), list('desc descending reverse')],
  [list('upload import'), list('download export')],
  [list('inbound incoming'), list('outbound outgoing')],
  [list('public external'), list('private internal')],
  [list('pre'), list('post')],
  [list('up increase raise'), list('down decrease lower')],
  [list('lock'), list('unlock')],
  [list('onboard'), list('offboard')],
  [list('encrypt encryption'), list('decrypt decryption')],
  [list('employer'), list('employee')],
  [list('show'), list('hide')],
  [list('allow accept approve'), list('deny reject decline')],
  [list('strict'), list('lenient permissive loose')],
  [list('yes true'), list('no false')],
]

/** Polar words this long are also recognized with one wrong letter. */
const minMisspelt = 7
const minJoined = 5
/** The neighbour of such a word has at least as many letters. */
const minRest = 3

/** Longer texts are names that no polar word decides; only their beginning is compared. */
const maxCompared = 200

/** What a word says by itself: `removal`, a direction, or a side of an opposition (`3.1` is the second of the fourth). */
const kindsByStem = new Map<string, readonly string[]>()
const joinedWords = new Set(
  list('before after remove delete exclude include disable enable create update without complete archive').flatMap((word) =>
    inflections(word),
  ),
)
const maxJoined = Math.max(...[...joinedWords].map(({ length }) => length))
for (const word of removals) addKind(word, 'removal')
for (const [index, group] of directions.entries()) for (const word of group) addKind(word, `direction ${index}`)
for (const [index, groups] of opposites.entries())
  for (const [side, group] of groups.entries()) for (const word of group) addKind(word, `${index}.${side}`)
const longPolarStems = [...kindsByStem].filter(([each]) => each.length >= minMisspelt - 1)

/** A text as it is compared. */
export interface Polarity {
  readonly words: readonly string[]
  /** The words run together. */
  readonly whole: string
}

/** Reads a text once for many comparisons. */
export function readPolarity(text: string): Polarity {
  const words = splitWords(text)
  // A preposition is no negative beginning: "In Progress".
  return { words, whole: words[0] === 'in' ? '' : words.join('') }
}

/**
 * Whether two texts differ by a negation or a direction, so that neither may be read as the other however alike they are: `unstarted` and
 * `started`, `exclude_label` and `label`, `updated_after` and `created_after`, `blocks` and `blockedBy`. Symmetric; case, camelCase and
 * separators do not matter.
 */
export function isReversal(written: string, candidate: string): boolean {
  return areReversed(readPolarity(written), readPolarity(candidate))
}

/** `isReversal` for texts that have been read. */
export function areReversed(a: Polarity, b: Polarity): boolean {
  // The same letters, spaced differently: "inreview" and "In Review".
  if (a.words.join('') === b.words.join('')) return false
  if (isNegated(a.whole, b.words) || isNegated(b.whole, a.words) || isOtherVoice(a.words, b.words) || isOtherVoice(b.words, a.words))
    return true
  const [onlyA, onlyB] = [difference(a.words, b.words), difference(b.words, a.words)]
  if (isNegative(onlyA, a.words) !== isNegative(onlyB, b.words)) return true
  if (onlyA.some((word) => onlyB.some((other) => isNegated(word, [other]) || isNegated(other, [word]) || areDegrees(word, other))))
    return true
  const [kindsA, kindsB] = [kindsOf(onlyA), kindsOf(onlyB)]
  return kindsA.some((kind) => excludes(kind, kindsA, kindsB)) || kindsB.some((kind) => excludes(kind, kindsB, kindsA))
}

/** Whether a kind of word in one text rules out the other. Taking away and directions must be in both; sides only may not be opposite. */
function excludes(kind: string, own: readonly string[], others: readonly string[]): boolean {
  if (others.includes(kind)) return false
  const [opposition, side] = kind.split('.')
  if (side === undefined) return true
  return others.some((other) => other.startsWith(`${opposition}.`) && !own.includes(other))
}

/** Whether a text says less than another one: "almost done" and "done". */
export function isQualified(written: string, candidate: string): boolean {
  const words = splitWords(candidate)
  return splitWords(written).some((word) => qualifiers.includes(word) && !words.includes(word))
}

/** The words of a text in lower case: parts of camelCase, of snake_case and of polar words that are written together with another. */
export function splitWords(text: string): string[] {
  return (
    text
      .slice(0, maxCompared)
      .normalize('NFKC')
      .replace(/['’]/g, '')
      .replace(/^[\s"“([]*[-–~^!]+(?=\p{L})|!=|[¬≠]|<>/gu, ' not ')
      .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
      .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
      .toLowerCase()
      .split(/[^\p{L}\p{M}\p{N}]/u)
      // "No. 5" is a number.
      .filter((word, index, all) => word !== '' && !(word === 'no' && /^\p{N}/u.test(all.slice(index + 1).join(''))))
      .flatMap(splitJoined)
  )
}

/** `createdbefore` is two words, because nothing else tells it from `createdafter`. */
function splitJoined(word: string): string[] {
  for (let length = Math.min(maxJoined, word.length - minRest); length >= minJoined; length -= 1) {
    if (joinedWords.has(word.slice(0, length))) return [word.slice(0, length), word.slice(length)]
    if (joinedWords.has(word.slice(-length))) return [word.slice(0, -length), word.slice(-length)]
  }
  return [word]
}

/** Whether a word is the others, run together, with a negative beginning or ending that they lack. */
function isNegated(word: string, others: readonly string[]): boolean {
  const whole = others.join('')
  if (whole.length < 2) return false
  // One wrong letter is a slip of the pen: every beginning has two.
  const isOther = (rest: string) => rest.length >= minRest && isAlmost(rest, whole) && leven(word, whole) > 1
  return (
    negativePrefixes.some((prefix) => word === `${prefix}${whole}` || (word.startsWith(prefix) && isOther(word.slice(prefix.length)))) ||
    (word.endsWith('less') && isOther(word.slice(0, -'less'.length)))
  )
}

/** The same word, perhaps in another form or with a wrong letter. */
function isAlmost(word: string, other: string): boolean {
  if (stem(word) === stem(other)) return true
  return Math.min(word.length, other.length) >= 5 && leven(word, other) <= 1
}

/** `duplicated_by` and `duplicates`: the same verb, seen from the other side. */
function isOtherVoice(words: readonly string[], others: readonly string[]): boolean {
  const verb = words[words.indexOf('by') - 1]
  if (verb?.endsWith('ed') !== true || others.includes('by')) return false
  return others.some((other) => !other.endsWith('ed') && stemOfVerb(other) === stemOfVerb(verb))
}

/** `high` and `highest`. */
function areDegrees(word: string, other: string): boolean {
  return [`${word}est`, `${word}er`].includes(other) || [`${other}est`, `${other}er`].includes(word)
}

/** The words of one text that the other lacks, each counted as often as it occurs. */
function difference(words: readonly string[], others: readonly string[]): string[] {
  const left = [...others]
  return words.filter((word) => {
    // "not" and "note" have the same stem.
    const place = left.findIndex((other) => stem(other) === stem(word) && negations.includes(other) === negations.includes(word))
    if (place >= 0) left.splice(place, 1)
    return place < 0
  })
}

/** Whether the words that only one text has turn its meaning round; two negations cancel each other. */
function isNegative([first = '', ...others]: readonly string[], [start]: readonly string[]): boolean {
  const isFirst = negations.includes(first) || (first === start && detachedPrefixes.includes(first))
  return (others.filter((word) => negations.includes(word)).length % 2 === 1) !== isFirst
}

/** A long polar word counts with a wrong letter too. */
function kindsOf(words: readonly string[]): readonly string[] {
  return words.flatMap((word) => {
    const exact = kindsByStem.get(stem(word))
    if (exact || word.length < minMisspelt - 1) return exact ?? []
    const near = longPolarStems.find(([each]) => Math.abs(each.length - stem(word).length) <= 1 && leven(each, stem(word)) <= 1)
    return near?.[1] ?? []
  })
}

function addKind(word: string, kind: string): void {
  const known = kindsByStem.get(stem(word)) ?? []
  if (!known.includes(kind)) kindsByStem.set(stem(word), [...known, kind])
}

/** A word without its ending. `blocked` keeps it: it is the opposite of `blocks`. */
export function stem(word: string): string {
  return word === 'blocked' ? word : stemOfVerb(word)
}

function stemOfVerb(word: string): string {
  if (word.length < 4) return word
  const base = word.replace(/(?:ing|ed|es|s)$/, '')
  return (base.length < 3 ? word : base).replace(/e$/, '')
}

function inflections(word: string): string[] {
  const base = word.replace(/e$/, '')
  return [`${base}ing`, `${base}ed`, `${word}s`, word]
}

function list(words: string): readonly string[] {
  return words.split(' ')
}
