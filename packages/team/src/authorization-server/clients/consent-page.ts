import { isOutage, type ToolError } from '@mcp-toolkits/core/errors'
import type { Page } from '@mcp-toolkits/server/account'
import { isLoopback } from './clients.ts'
import type { OfferedScope } from '../resources.ts'

export interface ConsentPage {
  readonly server: { readonly title: string; readonly host: string }
  readonly client: { readonly id: string; readonly name: string | undefined }
  readonly redirectUri: string
  /** Scopes that the client asks for. */
  readonly scopes: readonly OfferedScope[]
  readonly action: string
  readonly formToken: string
}

const close = 'You can close this page.'
const startOver = 'Go back to your client, and connect it to this server again.'

/** Asks a person whether a client may act for them. The page says nothing about the person, who has not signed in yet. */
export function consentPage({ server, client, redirectUri, scopes, action, formToken }: ConsentPage): Page {
  const name = client.name ?? 'A client without a name'
  const hidden = { form: formToken }
  const local =
    'The client is a program on this computer, and any program here can give itself this name. Continue only if you have just connected it yourself.'
  return {
    status: 200,
    title: `Let ${client.name ?? 'a client'} use ${server.title}?`,
    paragraphs: [
      `${name} asks to use ${server.title} as you. If you continue, you sign in with your company account, and are then sent back to the client.`,
      ...(isLoopback(redirectUri) ? [local] : []),
      'If you did not start this, or if someone sent you here, cancel.',
    ],
    facts: [
      ['Client', name],
      ['Its identity', identityOf(client.id)],
      ['Sends you to', isLoopback(redirectUri) ? `${new URL(redirectUri).host} (this computer)` : new URL(redirectUri).host],
      ['Server', `${server.title} at ${server.host}`],
      ['Permissions', scopes.map(({ meaning, name: scope }) => `${meaning} (${scope})`).join('; ')],
    ],
    forms: [
      { action, button: 'Continue', isMain: true, hidden: { ...hidden, decision: 'continue' } },
      { action, button: 'Cancel', hidden: { ...hidden, decision: 'cancel' } },
    ],
  }
}

/** The host of a metadata document identifies a client; a client that registered itself can claim anything. */
function identityOf(id: string): string {
  const host = URL.parse(id)?.host
  return host === undefined ? 'registered itself, so its name is not verified' : `described at ${host}`
}

export const expiredRequestPage: Page = {
  status: 410,
  title: 'This request has ended',
  paragraphs: ['It was already answered, took too long, or was begun in another browser. Nothing has changed.', startOver],
}

/** Page for a request that names no safe address to redirect to. */
export function refusedRequestPage(problem: string): Page {
  return {
    status: 400,
    title: 'The client cannot be connected',
    paragraphs: ['The client has sent a request that this server does not accept. Nothing has changed.', startOver],
    facts: [['Problem', problem]],
  }
}

export function signInFailedPage(error: ToolError): Page {
  return { status: isOutage(error) ? 503 : 400, title: 'You are not signed in', paragraphs: [error.message, startOver, close] }
}

export const unavailablePage: Page = {
  status: 503,
  title: 'This does not work at the moment',
  paragraphs: [
    'The server cannot reach its database, or the address that identifies the client. Nothing has changed.',
    'Wait a minute, and load the page again.',
  ],
}

export const tooManyRequestsPage: Page = {
  status: 429,
  title: 'Too many requests',
  paragraphs: ['Too many clients are being connected right now. Wait a minute, and try again.'],
}

export const notFoundPage: Page = { status: 404, title: 'There is nothing here', paragraphs: [startOver] }
