import { Secret, ToolError, Unauthenticated } from '@mcp-toolkits/core'
import type { Page } from '../page.ts'
import { attemptProblemPage, connectedPage, keyPage, linkProblemPage, unknownLinkPage } from './connect-pages.ts'
import { accountsPath, type ConnectParts, keyPath, type Reply } from './connect-parts.ts'
import type { StoredLink } from './connect-records.ts'
import type { KeyStep } from './connect-steps.ts'
import { stateIn } from './sign-in.ts'
import { linkProblem, storeGrant } from './stored-grants.ts'

/** The form for a key, which the browser that signed in gets. */
export async function showKeyForm(parts: ConnectParts, request: Request, query: URLSearchParams): Promise<Reply> {
  const state = stateIn(query)
  const found = await findEntry(parts, request, state)
  return 'status' in found ? { page: found } : { page: keyPage(found.step, { action: keyPath, state }) }
}

/** Checks a key, and stores it as the grant of the person. One that is not accepted can be entered again. */
export async function enterKey(parts: ConnectParts, request: Request, form: URLSearchParams): Promise<Reply> {
  const { attempts, log, urls } = parts
  const state = stateIn(form)
  const found = await findEntry(parts, request, state)
  if ('status' in found) return { page: found }
  const { step, link } = found
  const action = keyPath
  try {
    const key = readKey(form)
    const account = await step.check(key, new AbortController().signal)
    const taken = await attempts.take(request, state, 'key')
    if (typeof taken === 'string') return { page: attemptProblemPage(taken) }
    const problem = await storeGrant(parts, link, { kind: 'key', key, account })
    log.info('connect', { outcome: problem ?? 'done', purpose: 'key', person: link.key.owner, profile: link.profile })
    const page = problem ? linkProblemPage(problem, urls.url(accountsPath)) : connectedPage(step.vendor, account, [])
    return { page, cookies: [attempts.clear(state)] }
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    return { page: keyPage(step, { action, state, problem: error }) }
  }
}

interface KeyEntry {
  readonly link: StoredLink
  readonly step: KeyStep
}

async function findEntry({ attempts, links, steps, urls }: ConnectParts, request: Request, state: string): Promise<KeyEntry | Page> {
  const attempt = await attempts.find(request, state, 'key')
  if (typeof attempt === 'string') return attemptProblemPage(attempt)
  const link = attempt.link && (await links.get(attempt.link))
  if (!link || !steps.key) return unknownLinkPage
  const problem = await linkProblem(links, link)
  return problem ? linkProblemPage(problem, urls.url(accountsPath)) : { link, step: steps.key }
}

function readKey(form: URLSearchParams): Secret {
  const text = (form.get('key') ?? '').trim()
  if (text === '') throw new Unauthenticated('The field was empty. Enter the key.')
  if (text.length <= 1_000 && /^[\x21-\x7e]+$/.test(text)) return new Secret(text)
  throw new Unauthenticated(
    'This is not a key: it contains a space, a line break or a character that no key has, or it is too long. Copy the key again.',
  )
}
