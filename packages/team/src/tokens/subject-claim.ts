import { member } from '@mcp-toolkits/core/base'

/** Whether the claims name a person by an address of which the identity provider says that it may be someone else's. */
export function isUnverifiedEmail(claims: unknown, subjectClaim: string): boolean {
  return subjectClaim === 'email' && member(claims, 'email_verified') === false
}
