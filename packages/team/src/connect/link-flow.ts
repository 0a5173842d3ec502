import { type OAuthProvider, authorizationUrl, type Page, type LoginTarget } from '@mcp-toolkits/server/account'
import { otherPersonPage, startPage, tooManyProfilesPage, unknownLinkPage, usedLinkPage } from './connect-pages.ts'
import { accountsPath, type ConnectParts, callbackPath, keyPath, pickerMs, type Reply, stepMs } from './connect-context.ts'
import { linkKeyOf, type StoredLink } from './connect-records.ts'
import { newSignInSecrets, type SignedInPerson } from './identity-provider.ts'
import { beginSignIn } from './sign-in.ts'
import { hasRoom, linkProblem } from '../accounts/link-grants.ts'

/** The consent at the vendor that a link asks for. */
export interface VendorConsent {
  readonly provider: OAuthProvider
  readonly target: LoginTarget
  readonly scopes: readonly string[]
}

/** The consent that a link asks for; undefined if it needs no consent. */
export function vendorConsent({ account, steps }: ConnectParts, link: StoredLink): VendorConsent | undefined {
  if (!account || link.purpose === 'key') return undefined
  const { config, target } = account
  if (link.purpose === 'account') return { provider: config.provider, target, scopes: link.scopes ?? config.provider.scopes.default }
  return steps.picker && { provider: steps.picker.provider, target, scopes: steps.picker.scopes }
}

/** A link's page. Opening it changes nothing, because link scanners open it before people do. */
export async function showLink(parts: ConnectParts, token: string): Promise<Reply> {
  const link = await openLink(parts, token)
  return 'status' in link ? { page: link } : { page: linkPage(parts, link, token), formTargets: parts.formTargets }
}

/** Begins an attempt: the person signs in first. */
export async function beginLink(parts: ConnectParts, token: string): Promise<Reply> {
  const link = await openLink(parts, token)
  return 'status' in link ? { page: link } : beginSignIn(parts, link)
}

/** The link at an address, or a page that explains why there is none. */
async function openLink({ links, clock }: ConnectParts, token: string): Promise<StoredLink | Page> {
  const key = linkKeyOf(token)
  if (key && (await links.outcome(key)) === 'done') return usedLinkPage
  const link = key && (await links.get(key))
  return link && link.expiresAt > clock.now() ? link : unknownLinkPage
}

function linkPage(parts: ConnectParts, link: StoredLink, token: string): Page {
  const { server, urls, steps, account } = parts
  const consent = vendorConsent(parts, link)
  return startPage({
    server: { title: server.title, host: urls.host },
    vendor: (link.purpose === 'key' ? steps.key?.vendor : account?.config.provider.name) ?? server.title,
    link,
    scopes: consent?.scopes ?? [],
    introduction: link.purpose === 'picker' ? steps.picker?.introduction : undefined,
    action: `/connect/${token}`,
  })
}

/** Continues after the sign-in, if the link was made for this person. */
export async function proceed(parts: ConnectParts, link: StoredLink, person: SignedInPerson): Promise<Reply> {
  const { state, links, urls } = parts
  const { owner } = link.key
  const signedIn = state.people.ownerOf(person)
  if (signedIn !== owner) {
    await links.requireAccountPrompt(link.key)
    logOtherPerson(parts, link, person)
    return { page: otherPersonPage(person.name) }
  }
  await state.people.remember({ issuer: person.issuer, subject: person.subject })
  const problem = await linkProblem(links, link)
  if (problem === 'used') return { page: usedLinkPage }
  if (problem === 'unknown') {
    // The person has been forgotten meanwhile, and must stay forgotten.
    await state.people.forget(owner)
    return { page: unknownLinkPage }
  }
  if (link.purpose !== 'picker' && !(await hasRoom(state, link))) return { page: tooManyProfilesPage(urls.url(accountsPath)) }
  await links.reopen(link.key)
  if (person.name !== undefined) await links.setName(link.key, person.name)
  return link.purpose === 'key' ? toKeyForm(parts, link) : toConsent(parts, link)
}

async function toConsent(parts: ConnectParts, link: StoredLink): Promise<Reply> {
  const { attempts, urls } = parts
  const request = vendorConsent(parts, link)
  if (!request) return { page: unknownLinkPage }
  const { provider, target, scopes } = request
  const { state, verifier, nonce } = newSignInSecrets()
  const ms = link.purpose === 'picker' ? pickerMs : stepMs
  const cookie = await attempts.begin(state, { step: 'consent', link: link.key, verifier, nonce }, ms)
  const redirectUri = urls.url(callbackPath)
  const place = { endpoint: target.authorizationUrl, clientId: target.client.id, redirectUri, scopes }
  return { location: await authorizationUrl(provider, { ...place, state, verifier }), cookies: [cookie] }
}

async function toKeyForm({ attempts, steps }: ConnectParts, link: StoredLink): Promise<Reply> {
  if (!steps.key) return { page: unknownLinkPage }
  const { state, verifier, nonce } = newSignInSecrets()
  const cookie = await attempts.begin(state, { step: 'key', link: link.key, verifier, nonce }, stepMs)
  return { location: `${keyPath}?state=${state}`, cookies: [cookie] }
}

/** Logs the mismatch, with a hint: the identity provider may identify the same person differently to each client. */
function logOtherPerson({ log, state, subjectClaim, onConnection }: ConnectParts, link: StoredLink, person: SignedInPerson): void {
  const { issuer, subject, profile, clientId, purpose } = link
  onConnection({ action: 'connect', issuer, subject, profile, clientId, purpose, outcome: 'other_person', opener: person.subject })
  log.warn('connect', {
    outcome: 'another person',
    asked: link.key.owner,
    signed_in: state.people.ownerOf(person),
    claim: subjectClaim,
    ...(link.issuer !== person.issuer && { asked_issuer: link.issuer, signed_in_issuer: person.issuer }),
    hint: `Someone opened another person's link, or the identity provider identifies one person differently in access tokens and in sign-ins. In the second case, set MCP_TOOLKITS_SUBJECT_CLAIM to a claim that is the same in both, such as oid in Microsoft Entra.`,
  })
}
