export { isClientSecret, type RegisteredClient } from './consent.ts'
export {
  consentRoutes,
  errorRedirect,
  redirectBack,
  type ConsentOptions,
  type ConsentDecision,
  type OAuthError,
  type RedirectTarget,
} from './consent.ts'
export {
  grantPeople,
  grantTables,
  listGrants,
  openGrants,
  type GrantedConsent,
  type OAuthGrant,
  type GrantRules,
  type Grants,
  type ActiveToken,
  type IssuedTokens,
} from './grants.ts'
export { addPost, addTokenRoute, refuse, type TokenEndpoint } from './token-route.ts'
export { hintedPerson, personField, personInForm, type ConsentPerson } from './people.ts'
