import { Forbidden, isOutage, joinWords, type ToolError } from '@mcp-toolkits/core/errors'
import { type Fact, type Page, accountText, removalHint, type AccountInfo } from '@mcp-toolkits/server/account'
import type { AttemptProblem } from './browser-state.ts'
import type { LinkContent } from './connect-records.ts'
import type { ConnectPurpose } from '@mcp-toolkits/server/mcp'
import type { KeyStep } from './connect-steps.ts'
import { maxProfiles } from './connect-context.ts'
import type { LinkProblem } from '../accounts/link-grants.ts'

const close = 'You can close this page.'
const newLink = 'Go back to where you got the link and repeat that step; you will get a new link.'
const sameLink = 'The link still works: open it again to start over.'

/** A link's purpose, in its server's words. */
export interface StartPage {
  readonly server: { readonly title: string; readonly host: string }
  /** Name, such as `Google`. */
  readonly vendor: string
  readonly link: Pick<LinkContent, 'clientId' | 'profile' | 'purpose'>
  /** Scopes to ask the vendor for; empty for a key. */
  readonly scopes: readonly string[]
  /** The person's next step, if it is something other than giving access. */
  readonly introduction?: string | undefined
  readonly action: string
}

/** A link's page. It says nothing about the person, because anyone may have the link. */
export function startPage({ server, vendor, link, scopes, introduction, action }: StartPage): Page {
  const need = introduction ?? `${server.title} was asked to work for you, and needs access to your account at ${vendor} first.`
  const then = link.purpose === 'key' ? 'then you enter an API key on a page of this server.' : `then ${vendor} asks you what you allow.`
  const facts: Fact[] = [
    ['Server', `${server.title} at ${server.host}`],
    ...(link.clientId === '' ? [] : [['Asked by', link.clientId] as const]),
    ...profileFacts(link.profile),
    ...(scopes.length === 0 ? [] : [['Access', scopes.join(', ')] as const]),
  ]
  return {
    status: 200,
    title: link.purpose === 'picker' ? `Choose files at ${vendor}` : `Connect your account at ${vendor}`,
    paragraphs: [
      need,
      `You sign in with your company account first, ${then} Until then nothing changes.`,
      'If you did not ask for this, or if someone else sent you the link, close this page.',
    ],
    facts,
    forms: [{ action, button: 'Continue', isMain: true }],
  }
}

const profileFacts = (profile: string): Fact[] => (profile === 'default' ? [] : [['Profile', profile]])
const nameFacts = (name: string | undefined): Fact[] => (name === undefined ? [] : [['Signed in as', name]])

export const unknownLinkPage: Page = {
  status: 404,
  title: 'This link does not work',
  paragraphs: ['It has expired, is incomplete, or was withdrawn.', newLink],
}

export const usedLinkPage: Page = {
  status: 410,
  title: 'This link has been used',
  paragraphs: ['You have already used it. Go back to where you got it.', close],
}

const repeatedPage: Page = {
  status: 410,
  title: 'This step cannot be repeated',
  paragraphs: ['It has already been done, or took too long. Nothing has changed.', 'Open your link again, or the page of your accounts.'],
}

const otherBrowserPage: Page = {
  status: 403,
  title: 'You started in another browser',
  paragraphs: [
    'Finish in the browser in which you started, and let it accept cookies. Nothing has changed.',
    'Or open your link again in this browser.',
  ],
}

export function attemptProblemPage(problem: AttemptProblem): Page {
  return problem === 'unknown' ? repeatedPage : otherBrowserPage
}

export function otherPersonPage(name: string | undefined): Page {
  const who = name === undefined ? 'You are not' : `You are signed in as ${name}, who is not`
  return {
    status: 403,
    title: 'This link is for another person',
    paragraphs: [
      `${who} the person that this link was made for. Nothing has changed.`,
      'If it is your link and you have several accounts at your company, open it again and sign in with the right one.',
      'If someone else sent it to you, close this page: it would give their client access to an account of yours.',
    ],
  }
}

export function tooManyProfilesPage(accountsUrl: string): Page {
  return {
    status: 409,
    title: 'Too many accounts',
    paragraphs: [
      `You have connected ${maxProfiles} accounts, which is the limit. Nothing has changed.`,
      `End one of them at ${accountsUrl} and open the link again.`,
    ],
  }
}

export function linkProblemPage(problem: LinkProblem | 'full', accountsUrl: string): Page {
  if (problem === 'full') return tooManyProfilesPage(accountsUrl)
  return problem === 'used' ? usedLinkPage : unknownLinkPage
}

export interface Connected {
  /** A name that the signed-in person will recognize as their own. */
  readonly name: string | undefined
  readonly profile: string
  /** Scopes asked for but not granted. */
  readonly missing?: readonly string[]
  /** The reason the vendor still accepts the replaced login. */
  readonly problem?: ToolError | undefined
}

export function connectedPage(vendor: string, account: AccountInfo, { name, profile, missing = [], problem }: Connected): Page {
  const person = accountText(account)
  const left = `You left out ${joinWords(missing)}, so some tools do not work yet. They will ask for access when they need it.`
  return {
    status: 200,
    title: `Connected to ${vendor}`,
    paragraphs: [
      ...(person === '' ? [] : [`The account is ${person}.`]),
      ...(missing.length === 0 ? [] : [left]),
      ...(problem ? [`${vendor} still accepts the login that this one replaces: ${problem.message} ${removalHint}`] : []),
      `Go back to your client: it can use the account now. ${close}`,
    ],
    facts: [...nameFacts(name), ['Profile', profile]],
  }
}

export function declinedPage(vendor: string, purpose: ConnectPurpose): Page {
  return {
    status: 400,
    title: notDoneTitle(vendor, purpose),
    paragraphs: [`You did not give access at ${vendor}, and nothing has changed.`, `Have you changed your mind? ${sameLink}`],
  }
}

export function notDoneTitle(vendor: string, purpose: ConnectPurpose): string {
  return purpose === 'picker' ? 'No files were chosen' : `Not connected to ${vendor}`
}

/** Page for a failure at the vendor or the identity provider. The link still works. */
export function failedPage(title: string, error: ToolError): Page {
  return { status: statusOf(error), title, paragraphs: [error.message, 'Nothing has changed.', sameLink] }
}

export function notSignedInPage(error: ToolError, again: string = sameLink): Page {
  return { status: statusOf(error), title: 'You are not signed in', paragraphs: [error.message, again] }
}

function statusOf(error: ToolError): number {
  if (isOutage(error)) return 503
  return error instanceof Forbidden ? 403 : 400
}

/** The form for a key; `problem` says why the previous key was not accepted. */
export function keyPage({ label, hint, vendor }: KeyStep, { action, state, name, profile, problem }: KeyFormState): Page {
  return {
    status: problem ? statusOf(problem) : 200,
    title: `Enter your ${label}`,
    paragraphs: [problem?.message ?? `The key is checked at ${vendor}, stored encrypted, and used only for you.`],
    facts: [...nameFacts(name), ['Profile', profile]],
    forms: [{ action, button: 'Save', isMain: true, hidden: { state }, secret: { name: 'key', label, hint } }],
  }
}

interface KeyFormState extends Pick<Connected, 'name' | 'profile'> {
  readonly action: string
  readonly state: string
  readonly problem?: ToolError
}

export const notFoundPage: Page = { status: 404, title: 'There is nothing here', paragraphs: ['Open the link that you were given.'] }

export const foreignFormPage: Page = {
  status: 403,
  title: 'Another page sent this form',
  paragraphs: ['It was ignored. Nothing has changed.', 'Open the page again, and use its button.'],
}

export const longFormPage: Page = {
  status: 413,
  title: 'The form is too large',
  paragraphs: ['The form is too large. Nothing has changed. Shorten what you entered and send it again.'],
}

export const noFormPage: Page = {
  status: 415,
  title: 'This is not a form of this server',
  paragraphs: ['Nothing has changed. Open the page again, and use its button.'],
}

export const tooManyFormsPage: Page = {
  status: 429,
  title: 'Too many requests',
  paragraphs: [
    'Too many forms arrived in the last minute, from your network or in total. Nothing has changed.',
    'Wait a minute, and try again.',
  ],
}

export const storeDownPage: Page = {
  status: 503,
  title: 'This does not work at the moment',
  paragraphs: ['The server cannot reach its database. Nothing has changed.', 'Wait a minute, and load the page again.'],
}

export const defectPage: Page = {
  status: 500,
  title: 'This did not work',
  paragraphs: ['The server failed unexpectedly. The details are in its log.', sameLink],
}
