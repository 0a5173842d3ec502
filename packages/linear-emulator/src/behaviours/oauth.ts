import type { Behaviour } from '@mcp-toolkits/emulator'
import { assumed, documented } from './rule.ts'

/** How applications get access. */
export const oauth: readonly Behaviour[] = [
  documented(
    '§3.6:176',
    'authorize',
    'a page of consent, then a redirect with code and state',
    'the page of consent › sends back a code with the state, or the refusal',
  ),
  documented(
    '§3.6:176',
    'authorize: scope',
    'separated by commas',
    'the page of consent › tells the application at once that %j is refused',
  ),
  documented(
    '§3.6:183',
    'authorize: unknown scope',
    '"Invalid scope", also for offline_access',
    'the page of consent › tells the application at once that %j is refused',
  ),
  assumed(
    '§3.6:183',
    'authorize: errors',
    'redirected as error and error_description, with the state',
    'the page of consent › tells the application at once that %j is refused',
  ),
  assumed(
    '§3.6:176',
    'authorize: prompt',
    'asks every time; a page is answered once, within ten minutes',
    'the page of consent › asks every time, and is answered once, soon',
  ),
  assumed(
    '§3.6:176',
    'authorize: redirect_uri',
    'exact, though on loopback with any port; otherwise nothing is redirected',
    'the page of consent › leads nowhere but to the addresses of the application: %s',
  ),
  assumed(
    '§3.6:176',
    'authorize: loopback',
    'any port of 127.0.0.1 and localhost',
    'the page of consent › leads to any port on loopback, and to others exactly',
  ),
  assumed('§3.6:185', 'authorize: actor=app', 'refused', 'the page of consent › tells the application at once that %j is refused'),
  documented(
    '§3.6:180',
    'PKCE',
    'S256; an application without a secret needs it',
    'the page of consent › tells the application at once that %j is refused',
  ),
  documented(
    '§3.6:180',
    'PKCE: verifier',
    'must fit the challenge',
    'the token endpoint › refuses a code with %j, also when it is corrected',
  ),
  assumed(
    '§3.6:180',
    'secrets',
    'an application with one must tell it, and needs no PKCE',
    'the token endpoint › knows an application by its secret, which then needs no PKCE; old ones get scopes as an array',
  ),
  documented('§3.6:177', 'token: form', 'JSON is refused', 'the token endpoint › wants a form: JSON is refused'),
  documented(
    '§3.6:179',
    'token: lifetime',
    'access for 24 hours, expires_in 86399',
    'the token endpoint › gives an access token for a day and a refresh token for a code',
  ),
  documented(
    '§3.3:154',
    'token: expired',
    '401, as for a token that nobody knows',
    'the token endpoint › gives an access token for a day and a refresh token for a code',
  ),
  documented(
    '§3.6:183',
    'token: scopes',
    'those that were granted, read always among them; the API holds the token to them',
    'the token endpoint › gives a token the scopes that were granted, read always among them',
  ),
  documented(
    '§3.6:183',
    'token: scope',
    'an array for applications made before 1 December 2023',
    'the token endpoint › knows an application by its secret, which then needs no PKCE; old ones get scopes as an array',
  ),
  assumed(
    '§3.6:183',
    'token: scope as text',
    'separated by spaces',
    'the token endpoint › gives an access token for a day and a refresh token for a code',
  ),
  assumed(
    '§3.6:176',
    'code twice',
    'refused, and what the first gave ends',
    'the token endpoint › takes a code once; a second time ends what the first gave',
  ),
  assumed('§3.6:176', 'code: wrong use', 'uses it up', 'the token endpoint › refuses a code with %j, also when it is corrected'),
  assumed('§3.6:176', 'code: lifetime', 'ten minutes', 'the token endpoint › takes a code for ten minutes'),
  assumed('§3.6:177', 'token: errors', '400 with error and error_description; invalid_client is 401', 'the token endpoint › refuses %j'),
  documented('§3.6:181', 'client_credentials', 'must be enabled; here it is not', 'the token endpoint › refuses %j'),
  documented(
    '§3.6:179',
    'refresh',
    'rotates; the old token is good for 30 more minutes',
    'a refresh token › gives a new pair; the old one does so too for half an hour, then no more',
  ),
  assumed(
    '§3.6:179',
    'refresh: within the grace',
    'gives one more pair; after it only the old token is refused',
    'a refresh token › gives a new pair; the old one does so too for half an hour, then no more',
  ),
  assumed(
    '§3.6:179',
    'refresh: whose',
    'of its own application alone',
    'a refresh token › is of use to its own application alone, and no access token is one',
  ),
  documented(
    '§3.6:178',
    'revoke',
    'a form with token; 200 also for unknown ones',
    'the revoke endpoint › takes tokens that nobody knows, and no JSON',
  ),
  assumed('§3.6:178', 'revoke: how much', 'either token ends the whole grant', 'the revoke endpoint › ends a grant by its %s token'),
  assumed(
    '§3.6:176',
    'authorize: whom',
    'loopback names as Host, its own Origin, a ticket that cannot be guessed',
    'the page of consent › is answered by itself alone',
  ),
]
