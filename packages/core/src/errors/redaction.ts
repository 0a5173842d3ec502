import { minWordLength, WordSearch } from './word-search.ts'

/** Text shown instead of a secret. */
const replacement = '[secret]'

/** Maximum length of a secret: few servers accept a longer header value. */
const maxLength = 16_384

/**
 * Maximum number of secrets remembered: enough for more than 1,000 people, each with tokens, codes and states. The least recently used
 * secret is forgotten first. 10,000 tokens of 74 characters take about 15 MB with their spellings.
 */
const maxSecrets = 10_000

/** Maximum total length of all secrets, so that long secrets cannot exhaust memory: with all spellings, they take about 55 MB. */
const maxCharacters = 4_194_304

/** Every secret of this process, most recently used last. All servers share the set, so that no server can show another's secret. */
const secrets = new Set<string>()
let characters = 0

/** Secrets whose spellings are not in `spellings` yet: a process that shows no text need not encode them. */
const unsearched = new Set<string>()
let spellings: WordSearch | undefined

/** Records that a value is a secret, or that it has been used again. From then on, `redact` replaces it. */
export function rememberSecret(value: string): void {
  if (value.length > maxLength) return
  const isKnown = secrets.delete(value)
  secrets.add(value)
  if (isKnown) return
  unsearched.add(value)
  characters += value.length
  while (secrets.size > maxSecrets || characters > maxCharacters) forgetOldest()
}

function forgetOldest(): void {
  for (const oldest of secrets) {
    secrets.delete(oldest)
    characters -= oldest.length
    if (!unsearched.delete(oldest)) for (const spelling of spellingsOf(oldest)) spellings?.delete(spelling)
    return
  }
}

/**
 * The text with every known secret replaced by `[secret]`, even if encoded for a URL, JSON or Basic authentication. Call it before cutting
 * text: part of a secret is not recognized.
 */
export function redact(text: string): string {
  if (text.length < minWordLength) return text
  const found = searchSpellings().find(text)
  if (found.length === 0) return text
  const kept = found.map(({ start }, index) => text.slice(found[index - 1]?.end ?? 0, start))
  return [...kept, text.slice(found.at(-1)?.end)].join(replacement)
}

function searchSpellings(): WordSearch {
  spellings ??= new WordSearch()
  for (const secret of unsearched) for (const spelling of spellingsOf(secret)) spellings.add(spelling)
  unsearched.clear()
  return spellings
}

/**
 * The distinct ways in which a secret can appear in text. Basic authentication encodes a key as the user name, followed by a colon. Short
 * spellings are omitted: they occur in ordinary text, and real credentials are longer.
 */
function spellingsOf(secret: string): Set<string> {
  const encoded = [secret, `${secret}:`].flatMap((text) => {
    const bytes = Buffer.from(text)
    return [bytes.toString('base64').replaceAll('=', ''), bytes.toString('base64url')]
  })
  const all = [secret, ...encoded].flatMap((text) => {
    const [percent, json] = [encodeURIComponent(text.toWellFormed()), JSON.stringify(text).slice(1, -1)]
    const lowerPercent = percent.replace(/%../g, (code) => code.toLowerCase())
    return [text, percent, lowerPercent, json, json.replaceAll('/', String.raw`\/`)]
  })
  return new Set(all.filter(({ length }) => length >= minWordLength))
}
