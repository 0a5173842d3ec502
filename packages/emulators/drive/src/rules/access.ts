import { documented, own, seen, type Rules } from '@mcp-toolkits/emulator'
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
  'access/scopes': documented(
    authGuide,
    'drives.list and drives.get need drive or drive.readonly, writes need drive or drive.file; otherwise 403 insufficientPermissions.',
  ),
  'access/drive-file': documented(authGuide, 'With drive.file an app sees only items that it created or was given.'),
  'access/drive-file-root': seen(rclone(1467), 'With drive.file GET of root is 404, and parents that the app was not given are left out.'),
  'access/drive-file-and-readonly': documented(
    errorGuide,
    'With drive.readonly beside drive.file everything is readable, and writes to other items are 403 appNotAuthorizedToFile.',
  ),
  'access/drive-file-folders': assumed('result', 'A folder that the app was given does not open its contents.', 'the scope is per file'),
  'access/drive-file-root-as-parent': seen(
    rclone(1467),
    'With drive.file the root may be named as a parent and searched, though not read.',
  ),
  'access/people': documented(
    sharingGuide,
    'People have a My Drive each, and see of the others what was shared with them; stars, views and what an app was given are personal.',
  ),
  'access/token': documented(errorGuide, 'A missing, unknown or expired token is 401.'),
  'access/resource-keys': documented(resourceKeyGuide, 'An old shared link is 404 without its key in X-Goog-Drive-Resource-Keys.'),
  'access/quota-units': documented(
    limitsGuide,
    'A get costs 5 units, a list 100, an edit 50, a download 200, anything else 5; they are counted, not enforced.',
  ),
  'access/quota-units-of-chunks': assumed('refusal', 'An upload costs one edit and its chunks nothing.', 'the guide counts methods'),
  'access/error-forms': documented(errorGuide, 'Errors carry a list of reasons or, with a switch, ErrorInfo in details.'),
  'access/unknown-paths': assumed(
    'refusal',
    'Unknown paths and reserved ids are 404 in the form of an error.',
    'other refusals have this form',
  ),
  'access/other-reasons': seen(
    gam(5898),
    'A parent that is no folder is 403 parentNotAFolder, and an inherited permission cannotModifyInheritedPermission; cannotRemoveParent is ours.',
  ),
  'access/absent-methods': own('A method of the API that is not emulated is 501 notImplemented, and the message names it.'),
  'access/version-2': own('Version 2 of the API is 501 notImplemented.'),
  'access/rate-limits': own("No rate limit is enforced; a fault can answer in the vendor's form."),
  'access/flags': assumed('refusal', 'A flag other than true or false is 400 invalidParameter.', 'other parameters are refused so'),
} as const satisfies Rules

/** Rules about OAuth: how applications get access. */
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
  'oauth/page': own('The page names application, accounts and scopes; login_hint says which account is offered first.'),
  'oauth/people': documented(openidGuide, 'A token acts as the person who has consented, and revoking it leaves what others have granted.'),
  'oauth/request-errors': assumed(
    'refusal',
    'A bad request is shown to the person with 400 and not redirected; only served scopes exist, and PKCE is S256 only.',
    'the guide shows the page of an error',
  ),
  'oauth/prompt-none': assumed('refusal', 'prompt=none is interaction_required, also after an earlier consent.', 'the page asks a person'),
  'oauth/page-lifetime': own('A consent page is answered once, within ten minutes and from itself.'),
  'oauth/browsers': own('The page is served to browsers that ask for a loopback name.'),
  'oauth/token-lifetime': documented(
    nativeAppGuide,
    'An access token lasts an hour, expires_in is 3599; the API checks its scopes and answers 401 afterwards.',
  ),
  'oauth/offline': documented(webServerGuide, 'A refresh token needs access_type=offline and, while one is valid, prompt=consent.'),
  'oauth/granted-scopes': documented(webServerGuide, 'include_granted_scopes adds those of earlier consents.'),
  'oauth/refresh': documented(webServerGuide, 'A refresh token does not rotate or expire.'),
  'oauth/client-secret': seen(
    thread('taylorwilsdon/google_workspace_mcp', 1008, '2026-08-07'),
    'A missing client_secret is 400 invalid_request for an application that has one, with PKCE too.',
  ),
  'oauth/no-secret': documented(nativeAppGuide, 'An application without a secret, such as one for iOS, sends none.'),
  'oauth/pkce-optional': documented(nativeAppGuide, 'A code without a challenge needs no verifier.'),
  'oauth/code-binding': assumed(
    'refusal',
    'A code belongs to its application, redirect URI and verifier; a wrong attempt uses it up with invalid_grant.',
    'RFC 6749 binds it; that it is used up is the safer reading',
  ),
  'oauth/code-twice': documented(codeStandard, 'A second use of a code is refused and revokes what the first gave.'),
  'oauth/token-form': assumed('refusal', 'The token endpoint refuses JSON.', 'the guide shows a form'),
  'oauth/refresh-binding': documented(tokenErrorStandard, "Another application's refresh token is invalid_grant."),
  'oauth/revoke': documented(nativeAppGuide, 'Revoking either token revokes all that the account granted the application.'),
  'oauth/revoke-other-tokens': documented(nativeAppGuide, 'Revoking a revoked, expired or unknown token is 400 invalid_token.'),
  'oauth/tokeninfo': documented(
    openidGuide,
    'tokeninfo tells audience, scopes, expiry and, with its scope, the address; later invalid_token.',
  ),
  'oauth/userinfo': documented(openidGuide, 'userinfo tells the name with profile and the address with email.'),
  'oauth/service-account': documented(
    serviceAccountGuide,
    'A service account gets a token for an assertion of at most an hour that it has signed with RS256; it has a drive as a person has.',
  ),
  'oauth/service-account-errors': documented(
    serviceAccountErrors,
    'An assertion with another audience, time or signature, or of an unknown account, is invalid_grant.',
  ),
  'oauth/delegation': documented(
    delegationGuide,
    'For a person it gets only scopes that the organization has delegated to it; otherwise unauthorized_client.',
  ),
  'oauth/grants': own('Grants are stored as hashes, and no token is in the log.'),
  'oauth/google-auth-library': own("Google's library signs in with PKCE, refreshes, asks tokeninfo and revokes; there is no id_token."),
} as const satisfies Rules

/** Rules about the Picker, with which people give an application individual files. */
export const pickerRules = {
  'picker/scope': documented(pickerGuide, 'trigger_onepick needs drive.file alone and prompt=consent, and refuses include_granted_scopes.'),
  'picker/answer': documented(
    pickerGuide,
    'The redirect carries picked_file_ids, code, scope and state; the app may then use what was picked.',
  ),
  'picker/options': documented(pickerGuide, 'allow_multiple, allow_folder_selection, mimetypes and file_ids are off when absent.'),
  'picker/refusal': documented(pickerGuide, 'A refusal is error=access_denied and grants nothing.'),
  'picker/shortcuts': assumed(
    'result',
    'Picking a folder does not grant its contents; picking a shortcut grants its target.',
    'a grant is per file',
  ),
  'picker/page': own('The page lists folders and files of a place by name and runs no script.'),
  'picker/choice': own('The choice is kept from place to place, and the app may use it at once.'),
  'picker/places': own('The person reaches folders, items shared with them and shared drives.'),
  'picker/upload': own('An upload goes into the folder shown and is granted with the rest.'),
  'picker/other-places': own('A folder that does not exist shows My Drive; there is no upload where the account may not write.'),
  'picker/upload-at-end': own('A file in the form is uploaded when access is granted, and stays private if it is not picked.'),
  'picker/faults': own('Mistakes are shown on the page, which can be used again.'),
  'picker/cancel': own('Cancelling grants nothing and ends the picker.'),
  'picker/restrictions': own('Restrictions hold whatever is sent: one item, types, no folders, certain items.'),
  'picker/pages': own('A page holds a hundred items.'),
  'picker/address': own('The URL cannot be guessed, lasts half an hour and ends with the answer.'),
  'picker/end': own('A picker ends by timeout, by its signal, with a reset, after a hundred newer ones, or with the emulator.'),
  'picker/listener': own('The listener serves pickers only, to loopback names and to its own pages.'),
  'picker/ticket': own('Every page is answered once.'),
  'picker/two-answers': own('The first of two answers counts.'),
  'picker/log': own('The URL is not in the request log.'),
} as const satisfies Rules
