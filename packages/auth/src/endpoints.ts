import type { OAuthEndpoints, OAuthProvider } from './account.ts'

/** The provider's endpoints, or the same paths below `base`, which has no slash at its end. */
export function endpointsAt({ endpoints }: OAuthProvider, base: string | undefined): OAuthEndpoints {
  if (base === undefined) return endpoints
  const moved = (url: string) => `${base}${new URL(url).pathname}`
  return { authorization: moved(endpoints.authorization), token: moved(endpoints.token), revocation: moved(endpoints.revocation) }
}
