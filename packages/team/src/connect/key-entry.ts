import { ToolError, Unauthenticated } from '@mcp-toolkits/core/errors'
import { Secret } from '@mcp-toolkits/core/upstream'
import { type Page, withNote } from '@mcp-toolkits/server/account'
import { attemptProblemPage, connectedPage, keyPage, linkProblemPage, unknownLinkPage } from './connect-pages.ts'
import { accountsPath, type ConnectParts, keyPath, type Reply } from './connect-context.ts'
import type { StoredLink } from './connect-records.ts'
import type { KeyStep } from './connect-steps.ts'
import { recordConnect } from './connection-events.ts'
import { stateIn } from './sign-in.ts'
import { linkProblem, storeGrant } from '../accounts/link-grants.ts'

/** Shows the key form to the browser that signed in. */
export async function showKeyForm(parts: ConnectParts, request: Request, query: URLSearchParams): Promise<Reply> {
  const state = stateIn(query)
  const found = await findEntry(parts, request, state)
  return { page: 'status' in found ? found : keyPage(found.step, { action: keyPath, state, ...found.shown }) }
}

/** Checks a key and stores it as the person's grant. If the key is refused, the person can try again. */
export async function enterKey(parts: ConnectParts, request: Request, form: URLSearchParams): Promise<Reply> {
  const { attempts, urls } = parts
  const state = stateIn(form)
  const found = await findEntry(parts, request, state)
  if ('status' in found) return { page: found }
  const { step, link, shown } = found
  try {
    const text = readKey(form)
    const account = await step.check(new Secret(text, { isRedacted: false }), new AbortController().signal)
    const taken = await attempts.take(request, state, 'key')
    if (typeof taken === 'string') return { page: attemptProblemPage(taken) }
    const stored = await storeGrant(parts, link, { kind: 'key', key: new Secret(text), account })
    recordConnect(parts, link, stored.isStored ? 'ok' : stored.problem, account)
    const page = stored.isStored
      ? withNote(connectedPage(step.vendor, account, shown), await parts.onGrantChange({ owner: link.key.owner, profile: link.profile }))
      : linkProblemPage(stored.problem, urls.url(accountsPath))
    return { page, cookies: [attempts.clear(state)] }
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    recordConnect(parts, link, error.code)
    return { page: keyPage(step, { action: keyPath, state, problem: error, ...shown }) }
  }
}

interface KeyEntry {
  readonly link: StoredLink
  readonly step: KeyStep
  /** Facts shown on each key-entry page. */
  readonly shown: { readonly name: string | undefined; readonly profile: string }
}

async function findEntry({ attempts, links, steps, urls }: ConnectParts, request: Request, state: string): Promise<KeyEntry | Page> {
  const attempt = await attempts.find(request, state, 'key')
  if (typeof attempt === 'string') return attemptProblemPage(attempt)
  const link = attempt.link && (await links.get(attempt.link))
  if (!link || !steps.key) return unknownLinkPage
  const problem = await linkProblem(links, link)
  if (problem) return linkProblemPage(problem, urls.url(accountsPath))
  return { link, step: steps.key, shown: { name: await links.nameOf(link.key), profile: link.profile } }
}

/** The key in a form. Until the vendor accepts it, it could be any word, so logs must not redact it yet. */
function readKey(form: URLSearchParams): string {
  const text = (form.get('key') ?? '').trim()
  if (text === '') throw new Unauthenticated('The field was empty. Enter the key.')
  if (text.length <= 1_000 && /^[\x21-\x7e]+$/.test(text)) return text
  throw new Unauthenticated(
    'This is not a key: it contains a space, a line break or a character that keys never contain, or it is too long. Copy the key again.',
  )
}
