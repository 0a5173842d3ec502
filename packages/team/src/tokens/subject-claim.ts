import { member } from '@mcp-toolkits/core/base'

/** True if the claims identify a person by an email address that, according to the identity provider, may be someone else's. */
export function isUnverifiedEmail(claims: unknown, subjectClaim: string): boolean {
  return subjectClaim === 'email' && member(claims, 'email_verified') === false
}
