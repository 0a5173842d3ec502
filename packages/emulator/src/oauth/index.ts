export { knowsSecret, type OAuthClient } from './consent.ts'
export { consentRoutes, refusal, returned, type Asking, type Considered, type OAuthError, type Returning } from './consent.ts'
export {
  grantTables,
  listGrants,
  openGrants,
  type Consent,
  type Grant,
  type GrantRules,
  type Grants,
  type Held,
  type Issued,
} from './grants.ts'
export { addPost, addTokenRoute, refuse, type Issuing } from './token-route.ts'
