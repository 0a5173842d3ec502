import type { PeopleState } from '@mcp-toolkits/core/base'
import { type ConnectParts, maxProfiles } from '../connect/connect-context.ts'
import type { LinkRecords, StoredLink } from '../connect/connect-records.ts'
import { decodeGrant, encodeGrant, type Grant, withGrantLock } from './grants.ts'

/** The reason a link no longer leads to a grant. */
export type LinkProblem =
  /** The link has expired, or the person was forgotten. */
  | 'unknown'
  /** An attempt that began with the link has already succeeded. */
  | 'used'

export async function linkProblem(links: LinkRecords, { key }: Pick<StoredLink, 'key'>): Promise<LinkProblem | undefined> {
  if ((await links.outcome(key)) === 'done') return 'used'
  return (await links.get(key)) ? undefined : 'unknown'
}

/** True if a person may connect one more account, or has already connected this one. */
export async function hasRoom({ people }: Pick<PeopleState, 'people'>, { key, profile }: StoredLink): Promise<boolean> {
  const profiles = (await people.grants.list(key.owner)).map((grant) => grant.profile)
  return profiles.length < maxProfiles || profiles.includes(profile)
}

export type GrantStorage =
  | {
      readonly isStored: true
      readonly replaced: Grant | undefined
    }
  | { readonly isStored: false; readonly problem: LinkProblem | 'full' }

/**
 * Stores the grant that a person gave on a link's page, which uses up the link. If several attempts finish at once, one succeeds. Nothing
 * is stored for a person who has been forgotten meanwhile.
 */
export async function storeGrant(
  { state, links, log }: Pick<ConnectParts, 'state' | 'links' | 'log'>,
  link: StoredLink,
  grant: Grant,
): Promise<GrantStorage> {
  const { grants } = state.people
  const account = { owner: link.key.owner, profile: link.profile }
  return withGrantLock(state, account, async () => {
    const problem = await linkProblem(links, link)
    if (problem) return { isStored: false, problem }
    const before = (await grants.list(account.owner)).find(({ profile }) => profile === account.profile)
    const text = encodeGrant(grant)
    try {
      await grants.write(account, text)
    } catch (error) {
      if ((await links.get(link.key)) === undefined) return { isStored: false, problem: 'unknown' }
      // The database may have stored the grant even if its response was lost.
      if ((await grants.read(account).catch(() => undefined)) !== text) throw error
    }
    // The lock is for one account, and other accounts may have been connected at the same time.
    if (before === undefined && (await grants.list(account.owner)).length > maxProfiles) {
      await grants.write(account, undefined)
      return { isStored: false, problem: 'full' }
    }
    // The grant is stored, so tell the person, even if the link stays open until it expires.
    await links.setOutcome(link.key, 'done').catch(() => {
      log.warn('connect', { outcome: 'link not ended', person: account.owner, profile: account.profile })
    })
    return { isStored: true, replaced: decodeGrant(before?.grant) }
  })
}
