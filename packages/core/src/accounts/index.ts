export { openAccount, type Account, type AccountOptions, type LiveLogin } from './account.ts'
export { credentialFile, type CredentialFile, type Place } from './credential-file.ts'
export { expiryAfter, oauthIssuer } from './issuer.ts'
export { isFor, type Client, type Expiry, type Identity, type Login, type Tokens } from './login.ts'
export {
  consentUrl,
  endpointsAt,
  newAttempt,
  type Asking,
  type Attempt,
  type BroughtCode,
  type Endpoints,
  type Issuer,
  type IssuerOptions,
  type Provider,
} from './provider.ts'
export { lackingScopes, leastScope, needInWords, type ScopeRules } from './scopes.ts'
export { signedIn } from './signed-in.ts'
export { until } from './until.ts'
