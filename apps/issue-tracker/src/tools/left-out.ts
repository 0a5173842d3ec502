/** Texts are compared with this many characters around a mark: fewer may be there by chance. */
const minShared = 20
/** Fewer characters must go on beyond a mark, because what follows may be changed. */
const minFollowing = 12
/** Marks of a text that are looked at, so that a text of nothing but marks takes no time. */
const maxMarks = 100

/** Dots, brackets and HTML comments, which may say that a text goes on. */
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

/** The part of a text that another text is or leaves out at a mark, in words; `undefined` if it does neither. Both are plain texts. */
export function leftOut(present: string, text: string): string | undefined {
  const [before, after] = [present, text].map((each) => each.replaceAll(/ ?\.{3,}| …/g, '…'))
  if (!before || !after) return undefined
  if (isPhrase(after)) return 'stands for the present text'
  if (after.length < before.length) {
    if (before.startsWith(after)) return 'is only the beginning of the present text'
    if (before.endsWith(after)) return 'is only the end of the present text'
    if (after.length >= minShared && after.includes(' ') && before.includes(after)) return 'is only a part of the present text'
  }
  const found = [...after.matchAll(marks)].filter(([mark]) => goesOn.test(mark)).slice(0, maxMarks)
  const last = lastSentence.exec(after.slice(-160))
  const places = found.map(({ 0: mark, index }) => ({ mark, index }))
  if (last) places.push({ mark: last[0], index: after.length - last[0].length })
  return places.some((place) => isCutAt(before, after, place)) ? 'leaves out a part of the present text' : undefined
}

/** Whether a text says nothing but that it is the one before. */
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

/** Whether the present text goes on after the words left of a mark, and not with the words right of it. */
function goesOnAfter(before: string, left: string, right: string): boolean {
  const words = left.slice(-minShared)
  const at = words.length < minShared ? -1 : before.indexOf(words)
  if (at === -1) return false
  const [end, next] = [at + words.length, right.slice(0, minShared)]
  // The words right of the mark come later in the present text, which may have the words between twice.
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

/** A text up to its last letter or digit. */
function endTrimmed(text: string): string {
  let end = text.length
  while (end > 0 && !isWordCharacter.test(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
