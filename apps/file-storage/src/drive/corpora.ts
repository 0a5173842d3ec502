import { InvalidInput } from '@mcp-toolkits/core'
import type { Corpus } from './files.ts'

export interface Breadth {
  readonly driveId: string | undefined
  readonly sharedDrives: boolean
  readonly domain: boolean
}

/** Where to look, and what to call it. Throws `InvalidInput` for a shared drive together with the domain, which Drive refuses. */
export function areaOfSearch({ driveId, sharedDrives, domain }: Breadth): { readonly corpus: Corpus; readonly name: string } {
  if (driveId !== undefined && domain) {
    throw new InvalidInput(
      'A shared drive and include_organization_domain_documents cannot be combined: Google Drive looks in one or the other.',
      { next: { change: { include_organization_domain_documents: null } } },
    )
  }
  if (driveId !== undefined) return { corpus: { in: 'drive', driveId }, name: `the shared drive ${driveId}` }
  if (domain) {
    const name = sharedDrives
      ? "what is shared with the organization's domain, shared drives included"
      : "what is shared with the organization's domain"
    return { corpus: { in: 'domain', withDrives: sharedDrives }, name }
  }
  if (sharedDrives) return { corpus: { in: 'allDrives' }, name: 'My Drive, what was shared with you, and all shared drives' }
  return { corpus: { in: 'user' }, name: 'My Drive and what was shared with you' }
}
