/** What a reader sees instead of a secret. */
const replacement = '[secret]'

/** Shorter values are left alone: they occur in ordinary text, and no vendor issues such credentials. */
const minLength = 8

/** No server accepts a longer value in a header. */
const maxLength = 16_384

/** How many secrets are known at once. The least recently used one is forgotten first. */
const maxSecrets = 1_000

/** Every secret of this process, the most recently used last. It is shared by all servers, so that none of them can show a secret of another. */
const secrets = new Set<string>()

/** Finds the spellings of all secrets in one pass, however many there are; rebuilt when a secret is added. */
interface SearchIndex {
  /** How far the search may advance, by the last two characters of what it looks at. */
  readonly skips: Uint8Array
  /** The spellings that end in a text of `minLength` characters, the longest first. */
  readonly bySuffix: ReadonlyMap<string, readonly string[]>
}

let searchIndex: SearchIndex | undefined

/** Makes a value known as a secret, or as used again. `redact` replaces it from now on. */
export function rememberSecret(value: string): void {
  if (value.length > maxLength) return
  if (!secrets.delete(value)) searchIndex = undefined
  secrets.add(value)
  for (const oldest of secrets) {
    if (secrets.size <= maxSecrets) return
    secrets.delete(oldest)
  }
}

/**
 * The text with every known secret replaced by `[secret]`, also where it is encoded as in a URL, in JSON or in Basic authentication.
 * Call it before a text is cut: a part of a secret is not recognized.
 */
export function redact(text: string): string {
  if (text.length < minLength) return text
  const found = findSecrets(text, (searchIndex ??= buildIndex()))
  if (found.length === 0) return text
  const kept = found.map(({ start }, index) => text.slice(found[index - 1]?.end ?? 0, start))
  return [...kept, text.slice(found.at(-1)?.end)].join(replacement)
}

interface Range {
  readonly start: number
  readonly end: number
}

/** Where spellings of secrets are, in order. Overlapping ones become one range. Horspool's search for several words. */
function findSecrets(text: string, { skips, bySuffix }: SearchIndex): Range[] {
  const found: Range[] = []
  let end = minLength
  while (end <= text.length) {
    const skip = skips[pairAt(text, end - 1)] ?? 0
    end += Math.max(skip, 1)
    if (skip > 0) continue
    const matchEnd = end - 1
    const match = bySuffix.get(text.slice(matchEnd - minLength, matchEnd))?.find((each) => endsAt(text, each, matchEnd))
    if (match === undefined) continue
    let start = matchEnd - match.length
    for (let last = found.at(-1); last && last.end > start; last = found.at(-1)) {
      start = Math.min(start, last.start)
      found.pop()
    }
    found.push({ start, end: matchEnd })
  }
  return found
}

/** `startsWith` takes a negative position for 0, where a secret that repeats itself may begin without ending at `end`. */
function endsAt(text: string, word: string, end: number): boolean {
  return word.length <= end && text.startsWith(word, end - word.length)
}

function buildIndex(): SearchIndex {
  const skips = new Uint8Array(pairCount).fill(minLength - 1)
  const bySuffix = new Map<string, string[]>()
  const spellings = new Set([...secrets].flatMap(spellingsOf).filter(({ length }) => length >= minLength))
  for (const spelling of [...spellings].sort((a, b) => b.length - a.length)) {
    const suffix = spelling.slice(-minLength)
    bySuffix.set(suffix, [...(bySuffix.get(suffix) ?? []), spelling])
    for (let index = 1; index < minLength; index += 1) {
      const pair = pairAt(suffix, index)
      skips[pair] = Math.min(skips[pair] ?? 0, minLength - 1 - index)
    }
  }
  return { skips, bySuffix }
}

/** The ways in which a secret can appear in a text. Basic authentication encodes a key as the user name, with a colon behind it. */
function spellingsOf(secret: string): string[] {
  const encoded = [secret, `${secret}:`].flatMap((text) => {
    const bytes = Buffer.from(text)
    return [bytes.toString('base64').replaceAll('=', ''), bytes.toString('base64url')]
  })
  return [secret, ...encoded].flatMap((text) => {
    const [percent, json] = [encodeURIComponent(text.toWellFormed()), JSON.stringify(text).slice(1, -1)]
    const lowerPercent = percent.replace(/%../g, (code) => code.toLowerCase())
    return [text, percent, lowerPercent, json, json.replaceAll('/', String.raw`\/`)]
  })
}

const pairCount = 1 << 16

/** A number for the character at `index` and the one before it; different pairs may share one. */
function pairAt(text: string, index: number): number {
  return ((text.charCodeAt(index - 1) * 248) ^ text.charCodeAt(index)) & (pairCount - 1)
}
