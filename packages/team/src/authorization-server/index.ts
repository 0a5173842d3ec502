export { openAuthorizationServer } from './authorization-server.ts'
export { revokeAllTokens } from './tokens/revocation.ts'
