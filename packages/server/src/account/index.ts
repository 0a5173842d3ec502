export {
  type AccountConfig,
  type AccountSettings,
  commandLine,
  credentialVariables,
  isProfileName,
  type OAuthProvider,
  profileKey,
} from './account.ts'
export { authorize } from './login/authorization.ts'
export { accountText, environmentTarget, identify, removalHint, revokeLogin } from './login/login.ts'
export {
  type AuthorizationCode,
  type AuthorizationSecrets,
  authorizationUrl,
  newAuthorizationSecrets,
  oauthClient,
} from './login/oauth-client.ts'
export { type Fact, type Page, pageHeaders, type PageSection, renderPage, withNote } from './login/page.ts'
export { missingScopes } from './login/scopes.ts'
export {
  type AccountInfo,
  type ActiveLogin,
  decodeAccount,
  decodeLogin,
  encodeLogin,
  type Login,
  type LoginTarget,
} from './tokens/login-format.ts'
export { upstreamOf } from './tokens/token-source.ts'
export { openTokenStore, type ProfileKey, type TokenStore, tokenStoreOf } from './tokens/login-store.ts'
export { type AuthorizedUpstream, describeAccount, embeddedUpstream, openUpstream } from './upstream.ts'
export { KeyEnded } from './key-ended.ts'
