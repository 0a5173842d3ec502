export {
  consentRoutes,
  errorRedirect,
  hintedPerson,
  isClientSecret,
  personField,
  personInForm,
  redirectBack,
  type ConsentDecision,
  type ConsentOptions,
  type ConsentPerson,
  type OAuthError,
  type RedirectTarget,
  type RegisteredClient,
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
