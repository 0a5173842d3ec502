import { own, type Rules } from '@mcp-toolkits/emulator'
import {
  assumed,
  authGuide,
  codeStandard,
  delegationGuide,
  errorGuide,
  gam,
  limitsGuide,
  nativeAppGuide,
  openidGuide,
  pickerGuide,
  rclone,
  resourceKeyGuide,
  serviceAccountErrors,
  serviceAccountGuide,
  sharingGuide,
  thread,
  tokenErrorStandard,
  webServerGuide,
} from './sources.ts'

/** Rules about access: who may request what. */
export const accessRules = {
  'access/scopes': authGuide(
    'drives.list and drives.get need drive or drive.readonly, writes need drive or drive.file; otherwise 403 insufficientPermissions.',
  ),
  'access/drive-file': authGuide('With drive.file, an app sees only items that it created or was granted.'),
  'access/drive-file-root': rclone(1467)(
    'With drive.file, a GET of root gets 404, and parents leaves out folders that the app was not granted.',
  ),
  'access/drive-file-and-readonly': errorGuide(
    'With drive.file and drive.readonly, an app can read everything; writing to an item it was not granted gets 403 appNotAuthorizedToFile.',
  ),
  'access/drive-file-folders': assumed.result(
    'With drive.file, access to a folder does not include its contents.',
    'the scope is per file',
  ),
  'access/drive-file-root-as-parent': rclone(1467)('With drive.file, root can be named as a parent and searched, though not read.'),
  'access/people': sharingGuide(
    'Each person has a My Drive, and sees only what others have shared; stars, views and the items granted to an app are personal.',
  ),
  'access/token': errorGuide('A missing, unknown or expired token gets 401.'),
  'access/resource-keys': resourceKeyGuide('A file shared by an old link gets 404 unless its key is in X-Goog-Drive-Resource-Keys.'),
  'access/quota-units': limitsGuide(
    'A get costs 5 units, a list 100, an edit 50, a download 200, and anything else 5; units are counted, but no limit is enforced.',
  ),
  'access/quota-units-of-chunks': assumed.refusal('An upload costs one edit; its chunks cost nothing.', 'the guide counts methods'),
  'access/error-forms': errorGuide('Errors have a list of reasons or, with the quirk newerErrors, ErrorInfo in details.'),
  'access/unknown-paths': assumed.refusal(
    'Unknown paths and reserved ids get 404 with the usual error body.',
    'other errors have this form',
  ),
  'access/other-reasons': gam(5898)(
    'A parent that is no folder gets 403 parentNotAFolder, an inherited permission cannotModifyInheritedPermission; cannotRemoveParent is ours.',
  ),
  'access/absent-methods': own('A method of the API that is not emulated gets 501 notImplemented, and the message names it.'),
  'access/version-2': own('Version 2 of the API gets 501 notImplemented.'),
  'access/rate-limits': own("No rate limit is enforced; add a fault to get Google's error."),
  'access/flags': assumed.refusal('A Boolean parameter other than true or false gets 400 invalidParameter.', 'as for other parameters'),
} as const satisfies Rules

/** Rules about OAuth: how applications get access. */
export const oauthRules = {
  'oauth/answer': nativeAppGuide('The redirect carries code, state and the granted scopes, or error=access_denied.'),
  'oauth/some-scopes': nativeAppGuide('A person may refuse Drive scopes, but not profile scopes; the response names the granted ones.'),
  'oauth/loopback': nativeAppGuide(
    'An installed application can be redirected to any port and path on 127.0.0.1, localhost and [::1], over http.',
  ),
  'oauth/other-addresses': nativeAppGuide('Any other redirect URI gets redirect_uri_mismatch, including urn:ietf:wg:oauth:2.0:oob.'),
  'oauth/page': own('The consent page names the application, accounts and scopes; login_hint preselects an account.'),
  'oauth/people': openidGuide('A token acts as the person who consented; revoking it leaves what others have granted.'),
  'oauth/request-errors': assumed.refusal(
    'A bad request shows the person a 400 page, without a redirect; only emulated scopes exist, and PKCE must use S256.',
    'the guide shows an error page',
  ),
  'oauth/prompt-none': assumed.refusal(
    'prompt=none gets interaction_required, even after an earlier consent.',
    'only a person can answer the page',
  ),
  'oauth/page-lifetime': own('A consent page can be answered once, within ten minutes, and only from the page itself.'),
  'oauth/browsers': own('The consent page is served only under loopback host names.'),
  'oauth/token-lifetime': nativeAppGuide(
    'An access token lasts an hour; expires_in is 3599. The API checks its scopes, and answers 401 once it has expired.',
  ),
  'oauth/offline': webServerGuide('A refresh token needs access_type=offline and, while one is valid, prompt=consent.'),
  'oauth/granted-scopes': webServerGuide('include_granted_scopes adds the scopes of earlier consents.'),
  'oauth/refresh': webServerGuide('A refresh token neither rotates nor expires.'),
  'oauth/client-secret': thread(
    'taylorwilsdon/google_workspace_mcp',
    1008,
    '2026-08-07',
  )('An application that has a client_secret gets 400 invalid_request without it, even with PKCE.'),
  'oauth/no-secret': nativeAppGuide('An application without a secret, such as an iOS app, sends none.'),
  'oauth/pkce-optional': nativeAppGuide('A code without a challenge needs no verifier.'),
  'oauth/code-binding': assumed.refusal(
    'A code is bound to its application, redirect URI and verifier; a wrong attempt gets invalid_grant and uses it up.',
    'RFC 6749 binds it; using it up is the safer choice',
  ),
  'oauth/code-twice': codeStandard('A second use of a code is refused, and revokes the tokens from the first.'),
  'oauth/token-form': assumed.refusal('The token endpoint refuses JSON.', 'the guide shows a form'),
  'oauth/refresh-binding': tokenErrorStandard("Another application's refresh token gets invalid_grant."),
  'oauth/revoke': nativeAppGuide('Revoking an access or refresh token revokes all that the account granted the application.'),
  'oauth/revoke-other-tokens': nativeAppGuide('Revoking a revoked, expired or unknown token gets 400 invalid_token.'),
  'oauth/tokeninfo': openidGuide(
    'tokeninfo returns the audience, scopes, expiry and, with the email scope, the email address; for an invalid token, invalid_token.',
  ),
  'oauth/userinfo': openidGuide('userinfo returns the name with the scope profile, and the email address with the scope email.'),
  'oauth/service-account': serviceAccountGuide(
    'A service account gets a token for an assertion, valid for at most an hour, that it signed with RS256; it has its own My Drive.',
  ),
  'oauth/service-account-errors': serviceAccountErrors(
    'An assertion with a wrong audience, time or signature, or for an unknown account, gets invalid_grant.',
  ),
  'oauth/delegation': delegationGuide(
    'On behalf of a person, a service account gets only scopes that the organization has delegated to it; otherwise unauthorized_client.',
  ),
  'oauth/grants': own('Grants are stored as hashes, and no token is in the request log.'),
  'oauth/google-auth-library': own(
    "Google's library signs in with PKCE, refreshes tokens, calls tokeninfo and revokes; there is no id_token.",
  ),
} as const satisfies Rules

/** Rules about the Picker, with which people give an application individual files. */
export const pickerRules = {
  'picker/scope': pickerGuide('trigger_onepick needs drive.file as the only scope and prompt=consent, and refuses include_granted_scopes.'),
  'picker/answer': pickerGuide('The redirect carries picked_file_ids, code, scope and state; the app may then use what was picked.'),
  'picker/options': pickerGuide('allow_multiple, allow_folder_selection, mimetypes and file_ids are off by default.'),
  'picker/refusal': pickerGuide('If the person refuses, the redirect has error=access_denied, and nothing is granted.'),
  'picker/shortcuts': assumed.result(
    'Picking a folder does not grant its contents; picking a shortcut grants its target.',
    'a grant is per file',
  ),
  'picker/page': own('The page lists folders and files by name, and runs no script.'),
  'picker/choice': own('The choice is kept while the person moves between folders, and the app may use it at once.'),
  'picker/places': own('The person can reach folders, items shared with them, and shared drives.'),
  'picker/upload': own('An uploaded file goes into the folder shown, and is granted with the rest.'),
  'picker/other-places': own('If a folder does not exist, the page shows My Drive; it offers no upload where the account may not write.'),
  'picker/upload-at-end': own('A file in the form is uploaded when access is granted, and stays private if it is not picked.'),
  'picker/faults': own('The page shows mistakes, and can then be used again.'),
  'picker/cancel': own('Cancelling grants nothing and ends the picker.'),
  'picker/restrictions': own('Restrictions (one item, types, no folders, certain items) hold whatever the form sends.'),
  'picker/pages': own('A page lists up to a hundred items.'),
  'picker/address': own("A picker's URL cannot be guessed, and works for half an hour or until it is answered."),
  'picker/end': own(
    'A picker ends when its time is up, its signal aborts, the emulator is reset or closed, or a hundred newer pickers are open.',
  ),
  'picker/listener': own('The listener serves only pickers, to loopback host names and to its own pages.'),
  'picker/ticket': own('Each picker page can be answered once.'),
  'picker/two-answers': own('If there are two answers, the first counts.'),
  'picker/log': own("A picker's URL is not in the request log."),
} as const satisfies Rules
