import type { Person } from '@mcp-toolkits/core/base'
import { accountText, type AccountInfo } from '@mcp-toolkits/server/account'
import type { ConnectPurpose } from '@mcp-toolkits/server/mcp'
import type { StoredLink } from './connect-records.ts'
import type { EndedGrant } from '../accounts/grants.ts'

/** Action of a person on their accounts, or of an operator for them. It holds no secret. */
export interface ConnectionEvent extends Person {
  readonly action: 'connect' | 'disconnect' | 'forget'
  readonly profile?: string
  /** The client whose call asked for it. */
  readonly clientId?: string
  readonly purpose?: ConnectPurpose
  /** The vendor's name for the account, such as its address. */
  readonly account?: string
  /** `ok`, or why not: the code of an error, or a word such as `declined`. */
  readonly outcome: string
  /** The subject of the person who opened the link, if that is another one. */
  readonly opener?: string
}

export type RecordConnection = (event: ConnectionEvent) => void

interface Records {
  readonly log: Readonly<Record<'info' | 'warn', (message: string, fields: Readonly<Record<string, unknown>>) => void>>
  readonly onConnection: RecordConnection
}

/** Writes how an attempt at a link ended to the log and the audit. */
export function recordConnect({ log, onConnection }: Records, link: StoredLink, outcome: string, account?: AccountInfo): void {
  const { issuer, subject, profile, clientId, purpose } = link
  const isProblem = outcome !== 'ok' && outcome !== 'declined'
  log[isProblem ? 'warn' : 'info']('connect', { outcome, purpose, person: link.key.owner, profile })
  onConnection({ action: 'connect', issuer, subject, profile, clientId, purpose, ...accountOf(account), outcome })
}

/** Event for a grant that has ended; its outcome is the code of the error if the vendor still accepts it. */
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
