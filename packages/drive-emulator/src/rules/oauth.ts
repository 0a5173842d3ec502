import { assumed, documented, type DriveBehaviour } from './basis.ts'

const google = 'https://developers.google.com/identity/protocols/oauth2'
const installed = `${google}/native-app`
const web = `${google}/web-server`
const openid = 'https://developers.google.com/identity/openid-connect/openid-connect'
const secrets = 'https://github.com/taylorwilsdon/google_workspace_mcp/issues/1008'
const revoked = 'https://github.com/Significant-Gravitas/AutoGPT/pull/10493'

const consent: readonly DriveBehaviour[] = [
  ...documented(
    installed,
    [
      'auth: answer',
      'a redirect with code, state and the scopes that were granted, or with error=access_denied',
      'sends back a code with the state and the scopes, or the refusal',
    ],
    [
      'auth: some scopes',
      'a person may leave out scopes of Drive, not those of the profile; the answers name what is left',
      'lets a person leave out scopes, though not who they are',
    ],
    [
      'auth: loopback',
      'an installed application is led to any port and path of 127.0.0.1, localhost and [::1] over http',
      'leads installed applications to any port and path there, and sites where they are registered',
    ],
    [
      'auth: other addresses',
      'redirect_uri_mismatch, for urn:ietf:wg:oauth:2.0:oob too',
      'leads installed applications nowhere but to loopback: %s',
    ],
  ),
  ...assumed(
    installed,
    [
      'auth: page',
      'names application, account and scopes; the account is always the same, login_hint changes nothing',
      'says who asks for what as whom, and runs nothing',
    ],
    [
      'auth: faults',
      'are shown to the person with 400 and redirected nowhere; only scopes that are served here exist; PKCE is S256, also where Google takes plain',
      'shows the person, not the application, what is wrong with %j',
    ],
    ['auth: prompt=none', 'interaction_required, also after an earlier consent', 'tells the application that it cannot go unasked'],
    ['auth: how long', 'a page is answered once, within ten minutes, by itself alone', 'is answered once, soon, and by itself alone'],
    ['auth: whom', 'browsers that ask a loopback name', 'is shown to loopback names alone, and to nobody who only has fetch'],
  ),
]

const tokens: readonly DriveBehaviour[] = [
  ...documented(installed, [
    'token: lifetime',
    'an hour, expires_in 3599; the API holds it to its scopes and answers 401 after it',
    'gives an access token for an hour that carries the scopes',
  ]),
  ...documented(
    web,
    [
      'token: offline',
      'a refresh token only for access_type=offline, and while one stands only after prompt=consent',
      'gives a refresh token for offline access, and a second one only after prompt=consent',
    ],
    [
      'token: granted scopes',
      'include_granted_scopes adds those of earlier consents',
      'gives scopes of earlier consents too when it is asked to',
    ],
    ['refresh', 'does not rotate and does not expire', 'stays the same and works any number of times'],
  ),
  ...documented(
    secrets,
    ['token: client_secret', 'missing is 400 invalid_request for an application that has one, with PKCE too', 'refuses %j'],
    ['token: no secret', 'none of an application that has none, such as one for iOS', 'knows applications that keep no secret'],
  ),
  ...assumed(
    installed,
    ['token: PKCE', 'not needed when no challenge was sent', 'needs no PKCE of an application that sent no challenge'],
    [
      'code: whose',
      'of its application, address and verifier alone; a wrong try uses it up, invalid_grant',
      'refuses a code with %j, also when it is corrected',
    ],
    ['code: twice', 'refused, and what the first gave ends', 'takes a code once; a second time ends what the first gave'],
    ['token: form', 'JSON is refused', 'wants a form: JSON is refused'],
    ['refresh: whose', 'of its own application alone, invalid_grant', 'is of use to its own application alone, and no access token is one'],
  ),
]

const ends: readonly DriveBehaviour[] = [
  ...documented(revoked, [
    'revoke',
    'either token ends all that its application was granted by the account',
    'ends all that an application was granted, by one %s token',
  ]),
  ...documented(installed, [
    'revoke: other tokens',
    '400 invalid_token for what is revoked, expired or unknown',
    'refuses tokens that are revoked, expired or unknown',
  ]),
  ...documented(
    openid,
    [
      'tokeninfo',
      'audience, scopes, expiry and with its scope the address; invalid_token later',
      'is told by tokeninfo, while the token is good',
    ],
    ['userinfo', 'name with profile, address with email', 'is told by userinfo as far as the scopes go'],
  ),
  ...assumed(
    installed,
    ['grants', 'are kept as hashes; no token is in the log', 'is kept without its secrets, and gone after a reset'],
    [
      'google-auth-library',
      'PKCE, refresh, tokeninfo and revocation work as with Google; there is no id_token',
      'signs in with PKCE, calls, refreshes, asks about its token and revokes it',
    ],
  ),
]

/** How applications get access. */
export const oauth: readonly DriveBehaviour[] = [...consent, ...tokens, ...ends]
