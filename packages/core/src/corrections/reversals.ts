import leven from 'leven'
/** Splits text into words. That of the vocabulary would load Zod at startup. */
const list = (text: string) => text.split(' ')

/** Words that reverse the meaning of text, wherever they occur in it. */
const negations = list('not non no never without except excluding dont doesnt isnt arent cannot cant wont minus anti un ex')

/** Prefixes that reverse the rest of a word: `unstarted`, `nonmember`. */
const prefixes = list('un non not no de dis in im ir il anti')

/** Text with a word from one of these lists never means text without one: `labels` is not `labels_to_remove`. */
const decisive = [
  list('remove delete drop disable exclude omit skip ignore hide clear unset revoke suppress mute deny reject prevent detach stop'),
  list('before until till earlier'),
  list('after since later'),
  list('desc descending reverse'),
]

/** Text with a word from one side never means text with a word from a different side. */
const opposites = [
  [list('create creation add new'), list('update modify change edit'), list('complete finish'), list('archive'), list('delete remove')],
  [list('start begin first'), list('end finish stop last target due deadline')],
  [list('include also all'), list('only')],
  [list('open'), list('close')],
  [list('block'), list('blocked')],
  [list('source src from'), list('destination dest target to')],
  [list('parent'), list('child children sub')],
]

/** Maximum length to compare; only the beginning of longer text is compared. */
const maxCompared = 200
/** Minimum letters after the prefix of a negated word. */
const minRest = 3

/** Words by stem, each with its kind: the index of its decisive list, or of its opposites and its side. */
const kinds = Map.groupBy(
  [
    ...decisive.flatMap((words, index) => words.map((word) => [stem(word), `${index}`] as const)),
    ...opposites.flatMap((sides, index) => sides.flatMap((words, side) => words.map((word) => [stem(word), `${index}.${side}`] as const))),
  ],
  ([word]) => word,
)

/** Decisive words that are long enough not to be part of a longer word by chance. */
const joinable = decisive.flat().filter(({ length }) => length > 4)

/** True if a negation, a direction or opposites tell two texts apart, so that neither means the other: `exclude_label` and `label`. */
export function isReversal(written: string, candidate: string): boolean {
  return areReversed(splitWords(written), splitWords(candidate))
}

/** `isReversal` for texts already split into words, for many comparisons. */
export function areReversed(a: readonly string[], b: readonly string[]): boolean {
  // The same letters, spaced differently: "inreview" and "In Review".
  if (a.join('') === b.join('')) return false
  const [onlyA, onlyB] = [difference(a, b), difference(b, a)]
  if (isNegative(onlyA) !== isNegative(onlyB) || isNegated(whole(a), whole(b)) || isNegated(whole(b), whole(a))) return true
  if (onlyA.some((word) => onlyB.some((other) => isNegated(word, other) || isNegated(other, word)))) return true
  const [kindsA, kindsB] = [kindsOf(onlyA), kindsOf(onlyB)]
  return kindsA.some((kind) => excludes(kind, kindsA, kindsB)) || kindsB.some((kind) => excludes(kind, kindsB, kindsA))
}

/** A text's words in lower case, including the parts of camelCase and snake_case. */
export function splitWords(text: string): string[] {
  const plain = text.slice(0, maxCompared).normalize('NFKC').replace(/['’]/g, '')
  // "No. 5" is a number.
  return plain
    .replace(/^[\s"“([]*[-–~^!]+(?=\p{L})|!=|[¬≠]|<>/gu, ' not ')
    .replace(/(\p{Ll}|\p{N})(\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1$3 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]/u)
    .filter((word, index, all) => word !== '' && !(word === 'no' && /^\p{N}/u.test(all.slice(index + 1).join(''))))
}

/** A word without its ending, the same for `story` and `stories`. `blocked` keeps its ending, because it is the opposite of `blocks`. */
export function stem(word: string): string {
  if (word.length < 4 || word === 'blocked') return word
  const base = word.replace(/(?:ing|ed|(?:(?<=s|x|ch|sh)e|(?<![su]))s)$/, '')
  return (base.length < 3 ? word : base).replace(/e$/, '').replace(/(?<=[^aeiou])y$/, 'i')
}

/** The words missing from the others, counting repetitions. A negation equals no other word, although "not" and "note" share a stem. */
function difference(words: readonly string[], others: readonly string[]): string[] {
  const left = [...others]
  return words.filter((word) => {
    const place = left.findIndex((other) => stem(other) === stem(word) && negations.includes(other) === negations.includes(word))
    if (place >= 0) left.splice(place, 1)
    return place < 0
  })
}

/** The words run together, or nothing if they begin with a preposition instead of a negative prefix: "In Progress". */
function whole(words: readonly string[]): string {
  return words[0] === 'in' ? '' : words.join('')
}

/** True if the words reverse the meaning; two negations cancel each other. */
function isNegative(words: readonly string[]): boolean {
  return words.filter((word) => negations.includes(word)).length % 2 === 1
}

/** True if a word is the other with a negative prefix, perhaps misspelt. A single extra letter is a typo: every prefix has at least two. */
function isNegated(word: string, other: string): boolean {
  return prefixes.some((prefix) => {
    if (!word.startsWith(prefix) || other.length < 2) return false
    const rest = word.slice(prefix.length)
    if (rest === other) return true
    const isAlike = stem(rest) === stem(other) || (Math.min(rest.length, other.length) >= 5 && leven(rest, other) <= 1)
    return rest.length >= minRest && isAlike && leven(word, other) > 1
  })
}

/** The words' kinds, even for a word run together with another: `createdbefore`. */
function kindsOf(words: readonly string[]): readonly string[] {
  return words.flatMap((word) => {
    const joined = joinable.find((each) => word.length >= each.length + minRest && (word.startsWith(each) || word.endsWith(each)))
    return (kinds.get(stem(word)) ?? kinds.get(stem(joined ?? '')) ?? []).map(([, kind]) => kind)
  })
}

/** True if a kind of word in one text rules out the other: always if decisive, otherwise only if the other has an opposite instead. */
function excludes(kind: string, own: readonly string[], others: readonly string[]): boolean {
  if (others.includes(kind)) return false
  const [opposition, side] = kind.split('.')
  return side === undefined || others.some((other) => other.startsWith(`${opposition}.`) && !own.includes(other))
}
