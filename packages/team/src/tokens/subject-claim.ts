import { member } from '@mcp-toolkits/core/base'

/** True if the claims name a person by an address that, as the identity provider says, may be someone else's. */
export function isUnverifiedEmail(claims: unknown, subjectClaim: string): boolean {
  return subjectClaim === 'email' && member(claims, 'email_verified') === false
}
