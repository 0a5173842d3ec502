import leven from 'leven'

/** Words that turn the meaning of the others around, wherever they stand. */
const negations = list('not non no never without except excepting dont doesnt isnt arent cannot cant wont minus anti')

/** Beginnings of words that do the same, where the rest is the other word: `unstarted`, `non-member`. Alone they count at the start only. */
const negativePrefixes = list('un non not no de dis in im ir il ex anti')

/** Words for taking something away. A name with one of them never means a name without. */
const removals = list(
  'remove delete drop disable exclude omit skip ignore hide clear unset revoke suppress mute silence deny reject prevent detach discard erase stop',
)

/** Words for a direction in time. `created_at` is not `created_after` either. */
const directions = [list('before until till prior earlier'), list('after since later')]

/** Words that exclude each other: a text with one of a group never means a text with one of another group. */
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
  [list('asc ascending'), list('desc descending')],
  [list('upload import'), list('download export')],
  [list('inbound incoming'), list('outbound outgoing')],
  [list('public external'), list('private internal')],
  [list('pre'), list('post')],
  [list('up increase raise'), list('down decrease lower')],
  [list('lock'), list('unlock')],
  [list('show'), list('hide')],
  [list('allow accept approve'), list('deny reject decline')],
  [list('strict'), list('lenient permissive loose')],
  [list('yes true'), list('no false')],
]

/** Polar words this long are also recognized with one wrong letter, or run together with their neighbour. */
const minMisspelt = 7
const minJoined = 5

/** Longer texts are names that no polar word decides; only their beginning is compared. */
const maxCompared = 200

const polarWords = new Set([...removals, ...opposites.flat(2)])
const longPolarWords = [...polarWords].filter((word) => word.length >= minMisspelt - 1)
const joinedWords = [...polarWords].filter((word) => word.length >= minJoined).flatMap((word) => inflections(word))

/**
 * Whether two texts differ by a negation or a direction, so that neither may be read as the other however alike they are: `unstarted` and
 * `started`, `exclude_label` and `label`, `updated_after` and `created_after`, `blocks` and `blockedBy`. Symmetric; case, camelCase and
 * separators do not matter.
 */
export function isReversal(written: string, candidate: string): boolean {
  const [a, b] = [splitWords(written), splitWords(candidate)]
  if (isNegated(joined(a), b) || isNegated(joined(b), a) || isOtherVoice(a, b) || isOtherVoice(b, a)) return true
  const [onlyA, onlyB] = [difference(a, b), difference(b, a)]
  if (countNegations(onlyA) % 2 !== countNegations(onlyB) % 2) return true
  if (hasAny(onlyA, removals) !== hasAny(onlyB, removals)) return true
  if (directions.some((group) => hasAny(onlyA, group) !== hasAny(onlyB, group))) return true
  if (onlyA.some((word) => onlyB.some((other) => isNegated(word, [other]) || isNegated(other, [word]) || areDegrees(word, other))))
    return true
  return opposites.some((groups) =>
    groups.some(
      (group) => hasAny(onlyA, group) && !hasAny(onlyB, group) && groups.some((other) => other !== group && hasAny(onlyB, other)),
    ),
  )
}

/** The words of a text in lower case: parts of camelCase, of snake_case and of polar words that are written together with another. */
function splitWords(text: string): string[] {
  return (
    text
      .slice(0, maxCompared)
      .normalize('NFKC')
      .replace(/['’]/g, '')
      .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
      .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
      .toLowerCase()
      .split(/[^\p{L}\p{M}\p{N}]+/u)
      // "No. 5" is a number.
      .filter((word, index, all) => word !== '' && !(word === 'no' && /^\p{N}/u.test(all.slice(index + 1).join(''))))
      .flatMap(splitJoined)
  )
}

/** The words as one, for negative beginnings that stand apart. A preposition is none: "In Progress". */
function joined(words: readonly string[]): string {
  return words[0] === 'in' ? '' : words.join('')
}

/** `createdbefore` is two words, because nothing else tells it from `createdafter`. */
function splitJoined(word: string): string[] {
  const polar = joinedWords.find((each) => word.length >= each.length + 3 && (word.startsWith(each) || word.endsWith(each)))
  if (polar === undefined) return [word]
  return word.startsWith(polar) ? [polar, word.slice(polar.length)] : [word.slice(0, -polar.length), polar]
}

/** Whether a word is one of the others, or all of them together, with a negative beginning or ending. */
function isNegated(word: string, others: readonly string[]): boolean {
  const whole = others.join('')
  const isOther = (rest: string) => rest.length >= 3 && (isAlmost(rest, whole) || (others.length > 1 && others.includes(rest)))
  if (others.includes(word)) return false
  return (
    negativePrefixes.some((prefix) => word.startsWith(prefix) && isOther(word.slice(prefix.length))) ||
    (word.endsWith('less') && isOther(word.slice(0, -'less'.length)))
  )
}

/** The same word, perhaps in another form or with a wrong letter. */
function isAlmost(word: string, other: string): boolean {
  if (stem(word) === stem(other)) return true
  return Math.min(word.length, other.length) >= 5 && Math.abs(word.length - other.length) <= 1 && leven(word, other) <= 1
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
  const left = others.map(stem)
  return words.filter((word) => {
    const place = left.indexOf(stem(word))
    if (place >= 0) left.splice(place, 1)
    return place < 0
  })
}

function countNegations(words: readonly string[]): number {
  const isNegation = (word: string, index: number) =>
    negations.includes(word) || (index === 0 && word !== 'in' && negativePrefixes.includes(word))
  return words.filter(isNegation).length
}

function hasAny(words: readonly string[], group: readonly string[]): boolean {
  return words.some((word) => {
    const polar = polarWords.has(word)
      ? word
      : longPolarWords.find((each) => Math.max(each.length, word.length) >= minMisspelt && isAlmost(word, each))
    return group.some((each) => stem(each) === stem(polar ?? word))
  })
}

/** A word without its ending. `blocked` keeps it: it is the opposite of `blocks`. */
function stem(word: string): string {
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
