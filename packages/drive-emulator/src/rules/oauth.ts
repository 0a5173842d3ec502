import { assumed, documented } from '@mcp-toolkits/emulator'
import { nativeAppGuide, openidGuide, webServerGuide } from './vendor-pages.ts'

/** How applications get access. */
export const oauthRules = {
  'oauth/answer': documented(nativeAppGuide, 'The redirect carries code, state and the granted scopes, or error=access_denied.'),
  'oauth/some-scopes': documented(
    nativeAppGuide,
    'A person may leave out scopes of Drive, not those of the profile; the response names the rest.',
  ),
  'oauth/loopback': documented(
    nativeAppGuide,
    'An installed application is redirected to any port and path of 127.0.0.1, localhost and [::1] over http.',
  ),
  'oauth/other-addresses': documented(nativeAppGuide, 'Any other address is redirect_uri_mismatch, urn:ietf:wg:oauth:2.0:oob included.'),
  'oauth/page': assumed('The page names application, account and scopes; the account is always the same, whatever login_hint says.'),
  'oauth/request-errors': assumed(
    'A bad request is shown to the person with 400 and not redirected; only served scopes exist, and PKCE is S256 only.',
  ),
  'oauth/prompt-none': assumed('prompt=none is interaction_required, also after an earlier consent.'),
  'oauth/page-lifetime': assumed('A consent page is answered once, within ten minutes and from itself.'),
  'oauth/browsers': assumed('The page is served to browsers that ask for a loopback name.'),
  'oauth/token-lifetime': documented(
    nativeAppGuide,
    'An access token lasts an hour, expires_in is 3599; the API checks its scopes and answers 401 afterwards.',
  ),
  'oauth/offline': documented(webServerGuide, 'A refresh token needs access_type=offline and, while one is valid, prompt=consent.'),
  'oauth/granted-scopes': documented(webServerGuide, 'include_granted_scopes adds those of earlier consents.'),
  'oauth/refresh': documented(webServerGuide, 'A refresh token does not rotate or expire.'),
  'oauth/client-secret': assumed(
    'A missing client_secret is 400 invalid_request for an application that has one, with PKCE too.',
    'seen by others against Google',
  ),
  'oauth/no-secret': assumed('An application without a secret, such as one for iOS, sends none.', 'seen by others against Google'),
  'oauth/pkce-optional': assumed('A code without a challenge needs no verifier.'),
  'oauth/code-binding': assumed(
    'A code belongs to its application, redirect URI and verifier; a wrong attempt uses it up with invalid_grant.',
  ),
  'oauth/code-twice': assumed('A second use of a code is refused and revokes what the first gave.'),
  'oauth/token-form': assumed('The token endpoint refuses JSON.'),
  'oauth/refresh-binding': assumed('A refresh token of another application is invalid_grant.'),
  'oauth/revoke': assumed('Revoking either token revokes all that the account granted the application.', 'seen by others against Google'),
  'oauth/revoke-other-tokens': documented(nativeAppGuide, 'Revoking a revoked, expired or unknown token is 400 invalid_token.'),
  'oauth/tokeninfo': documented(
    openidGuide,
    'tokeninfo tells audience, scopes, expiry and, with its scope, the address; later invalid_token.',
  ),
  'oauth/userinfo': documented(openidGuide, 'userinfo tells the name with profile and the address with email.'),
  'oauth/grants': assumed('Grants are stored as hashes, and no token is in the log.'),
  'oauth/google-auth-library': assumed("Google's library signs in with PKCE, refreshes, asks tokeninfo and revokes; there is no id_token."),
}
