import type { Person } from '@mcp-toolkits/core/base'
import { accountText, type AccountInfo } from '@mcp-toolkits/server/account'
import type { ConnectPurpose } from '@mcp-toolkits/server/mcp'
import type { StoredLink } from './connect-records.ts'
import type { EndedGrant } from '../accounts/grants.ts'

/** A person's, or an operator's, action on the person's accounts. It contains no secret. */
export interface ConnectionEvent extends Person {
  readonly action: 'connect' | 'disconnect' | 'forget'
  readonly profile?: string
  /** The client whose call asked for the action. */
  readonly clientId?: string
  readonly purpose?: ConnectPurpose
  /** The vendor's name for the account, such as its address. */
  readonly account?: string
  /** `ok`, or the reason for the failure: an error code, or a word such as `declined`. */
  readonly outcome: string
  /** The subject of the person who opened the link, if that was someone else. */
  readonly opener?: string
}

export type RecordConnection = (event: ConnectionEvent) => void

interface Records {
  readonly log: Readonly<Record<'info' | 'warn', (message: string, fields: Readonly<Record<string, unknown>>) => void>>
  readonly onConnection: RecordConnection
}

/** Writes the outcome of a connect attempt to the log and the audit log. */
export function recordConnect({ log, onConnection }: Records, link: StoredLink, outcome: string, account?: AccountInfo): void {
  const { issuer, subject, profile, clientId, purpose } = link
  const isProblem = outcome !== 'ok' && outcome !== 'declined'
  log[isProblem ? 'warn' : 'info']('connect', { outcome, purpose, person: link.key.owner, profile })
  onConnection({ action: 'connect', issuer, subject, profile, clientId, purpose, ...accountOf(account), outcome })
}

/** Event for an ended grant; its outcome is the error code if the vendor still accepts the grant. */
export function disconnectEvent(person: Person, profile: string, { grant, problem }: EndedGrant): ConnectionEvent {
  const { issuer, subject, isService } = person
  const account = grant?.kind === 'key' ? grant.account : grant?.login.account
  return {
    action: 'disconnect',
    issuer,
    subject,
    ...(isService && { isService }),
    profile,
    ...accountOf(account),
    outcome: problem?.code ?? 'ok',
  }
}

function accountOf(account: AccountInfo = {}): { readonly account?: string } {
  const text = accountText(account)
  return text === '' ? {} : { account: text }
}
