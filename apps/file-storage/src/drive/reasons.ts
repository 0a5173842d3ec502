import {
  Conflict,
  type ErrorDetails,
  Forbidden,
  InvalidInput,
  type Message,
  type NextStep,
  NotFound,
  RateLimited,
  TooLarge,
  type ToolError,
  Unauthenticated,
} from '@mcp-toolkits/core/errors'

/** Error for a person or app without access to the item, or to Drive at all. */
export class ForbiddenToUser extends Forbidden {}

/** Error for an access token that lacks a scope. */
export class MissingScope extends ForbiddenToUser {}

/** Error for an address that Drive cannot share with. */
export class UnsuitableAddress extends InvalidInput {}

/** Error for an operation that Drive does not offer for this kind of item or place, whatever the arguments. */
export class NotOffered extends InvalidInput {}

/** Error for the sharing quota, which does not count other requests. */
export class SharingRateLimited extends RateLimited {}

/** Error for a quota that resets at the end of the day. */
export class DailyQuotaExceeded extends RateLimited {}

/** Error for a file downloaded too often. */
export class DownloadQuotaExceeded extends RateLimited {}

/** The tool that lets the person choose files and so grant access to them. */
export const filePicker = 'FileStorage.GenerateFilePickerUrl'

export const statusCommand: NextStep = { command: 'file-storage-mcp status' }

/** Sentences that tell the caller whose rule caused a refusal; none applies if the arguments or the item's state caused it. */
const rules = {
  google: 'That is a limit of Google Drive.',
  administrator: 'That is a rule of the organization, which only its administrator can change.',
  owner: "That is up to the item's owner.",
  manager: 'That is up to the managers of the shared drive.',
} as const

/** A reason that Google gives for a refusal: the resulting error, the rule's owner and the remedy. */
interface Reason {
  readonly error: new (text: string | Message, details: ErrorDetails) => ToolError
  readonly says: string
  readonly rule?: keyof typeof rules
  readonly helps?: string
  readonly next?: NextStep
  /** Overrides the error class's `retryable`. */
  readonly retryable?: boolean
}

const wrongToken: Reason = {
  error: Unauthenticated,
  says: 'Google refused the access token: it is expired, revoked or wrong.',
  next: statusCommand,
}
const missingScope: Reason = { error: MissingScope, says: 'The access token lacks a scope that this needs.', next: statusCommand }
const disabledApi: Reason = {
  error: ForbiddenToUser,
  says: 'The Google Cloud project has not enabled the Drive API.',
  next: statusCommand,
}
const missing: Reason = { error: NotFound, says: 'Google Drive has no such item, or this app has no access to it.' }
const refused: Reason = { error: InvalidInput, says: 'Google Drive refused the request.' }
const tooFast: Reason = { error: RateLimited, says: 'Google Drive asked us to slow down.', rule: 'google' }
const usedUp: Reason = { error: DailyQuotaExceeded, says: 'A quota at Google Drive is used up for today.' }
const noOutsiders: Reason = {
  error: Forbidden,
  says: 'The content may not be shared with this person.',
  rule: 'administrator',
  helps: 'Share with someone inside the organization.',
}
const onlyOneFolder: Reason = { error: Forbidden, says: 'An item is in one folder at a time.' }
const inheritedRole: Reason = {
  error: Forbidden,
  says: 'The role comes from a folder above or the shared drive.',
  helps: 'Change it there.',
}
const tooDeep: Reason = {
  error: Conflict,
  says: 'Folders cannot be nested more than 100 levels deep.',
  rule: 'google',
  helps: 'Pass a folder closer to the root.',
}
const taken: Reason = { error: Conflict, says: 'This conflicts with the current state in Google Drive.' }
const notAFile: Reason = {
  error: Forbidden,
  says: 'The item has no bytes: it is a folder, a shortcut or a Google document.',
  helps: 'A person can export a Google document in Google Drive.',
}

/**
 * Meanings of Drive's reasons, in lower case without underscores. A reason not listed here gets no advice.
 * https://developers.google.com/workspace/drive/api/guides/handle-errors
 */
const reasons: Readonly<Record<string, Reason>> = {
  autherror: wrongToken,
  accesstokenexpired: wrongToken,
  credentialsmissing: wrongToken,
  insufficientpermissions: missingScope,
  insufficientauthenticationscopes: missingScope,
  accesstokenscopeinsufficient: missingScope,
  accessnotconfigured: disabledApi,
  servicedisabled: disabledApi,
  notfound: missing,
  filenotfound: missing,
  appnotauthorizedtofile: { error: ForbiddenToUser, says: 'This app was not given access to the item.', next: { tool: filePicker } },
  insufficientfilepermissions: {
    error: ForbiddenToUser,
    says: 'Google Drive does not allow this on this item.',
    rule: 'owner',
    helps: 'Ask for the role "writer", or make the call for a different item.',
  },
  insufficientparentpermissions: {
    error: ForbiddenToUser,
    says: 'This account may not add anything to the folder.',
    rule: 'owner',
    helps: 'Ask for the role "writer" on the folder, or pass a different one.',
  },
  domainpolicy: {
    error: Forbidden,
    says: 'The organization does not allow this.',
    rule: 'administrator',
    helps: 'Choosing files does not help; the administrator has to allow this app.',
  },
  teamdrivemembershiprequired: {
    error: ForbiddenToUser,
    says: 'Only members of the shared drive may do this.',
    rule: 'manager',
    helps: 'Ask one of them to add this account.',
  },
  cannotdownloadfile: {
    error: Forbidden,
    says: 'The owner does not let readers download this file.',
    helps: 'Ask for the role "writer", or for a copy.',
  },
  cannotdownloadabusivefile: {
    error: Forbidden,
    says: 'Google Drive flagged this file as malware or spam and does not let programs download it.',
    helps: 'Its owner can check it in a browser.',
  },
  downloadrestrictedforrevision: { error: Forbidden, says: 'This revision of the file cannot be downloaded.', rule: 'owner' },
  filenotdownloadable: notAFile,
  filenotexportable: notAFile,
  exportsizelimitexceeded: { error: TooLarge, says: 'The document is too large to export.', rule: 'google' },
  downloadquotaexceeded: {
    error: DownloadQuotaExceeded,
    says: 'This file was downloaded too often; its quota resets after a day.',
    rule: 'google',
    retryable: false,
  },
  ratelimitexceeded: tooFast,
  userratelimitexceeded: tooFast,
  urlleaselimitexceeded: tooFast,
  sharingratelimitexceeded: { ...tooFast, error: SharingRateLimited, helps: 'Sharing without emails is limited less.' },
  dailylimitexceeded: usedUp,
  quotaexceeded: usedUp,
  storagequotaexceeded: {
    error: Conflict,
    says: 'The storage is full.',
    helps:
      'The person can free or buy storage, or you can use a folder in a shared drive. A service account has no storage of its own: it needs a shared drive, or has to act as a person.',
  },
  activeitemcreationlimitexceeded: {
    error: Conflict,
    says: 'This account has created as many items as it may.',
    rule: 'google',
    helps: 'Some have to be deleted for good before it can create more.',
  },
  numchildreninnonrootlimitexceeded: {
    error: Conflict,
    says: 'The folder has reached its limit of items.',
    rule: 'google',
    helps: 'Pass a different folder.',
  },
  teamdrivefilelimitexceeded: {
    error: Conflict,
    says: 'The shared drive has reached its limit of items.',
    rule: 'google',
    helps: 'Use a different drive, or have items deleted; those in the trash count too.',
  },
  mydrivehierarchydepthlimitexceeded: tooDeep,
  teamdrivehierarchytoodeep: tooDeep,
  teamdrivesfoldermoveinnotsupported: {
    error: NotOffered,
    says: 'A folder cannot be moved into a shared drive; files can.',
    rule: 'google',
    helps: 'Create the folder there and move its files into it, or have the person move it in Google Drive.',
  },
  teamdrivesfoldermoveoutnotsupported: {
    error: NotOffered,
    says: 'A folder cannot be moved out of a shared drive; files can.',
    rule: 'google',
    helps: 'Create the folder there and move its files into it, or have the person move it in Google Drive.',
  },
  fileownernotmemberofteamdrive: {
    error: Forbidden,
    says: "The file's owner is not a member of the shared drive, so only the owner can move it there.",
    rule: 'manager',
    helps: 'Ask one of them to add the owner, or ask the owner to move the file.',
  },
  filewriterteamdrivemoveindisabled: {
    error: Forbidden,
    says: 'Writers may not move items into a shared drive.',
    rule: 'administrator',
    helps: "Ask the file's owner to move it.",
  },
  teamdrivesparentlimit: onlyOneFolder,
  cannotaddparent: onlyOneFolder,
  cannotremoveparent: onlyOneFolder,
  parentnotafolder: { error: InvalidInput, says: 'The parent is not a folder.', helps: 'Pass a folder.' },
  rootfoldernotmodifiable: {
    error: NotOffered,
    says: 'The root of a drive cannot be changed.',
    rule: 'google',
    helps: 'Pass an item in it.',
  },
  illegalkeepforevermodification: { error: NotOffered, says: 'This revision is kept forever.', rule: 'owner' },
  cannotmodifyinheritedteamdrivepermission: inheritedRole,
  cannotmodifyinheritedpermission: inheritedRole,
  invalidsharingrequest: {
    error: UnsuitableAddress,
    says: 'Google Drive cannot share with this address.',
    helps: "Check the address; an organization's rule may also be the reason.",
  },
  shareinnotpermitted: noOutsiders,
  shareoutnotpermitted: noOutsiders,
  shareoutnotpermittedtouser: noOutsiders,
  shareoutnotpermittedforcontent: noOutsiders,
  targetuserrolelimitedbylicenserestriction: {
    error: Forbidden,
    says: "The person's licence does not allow this role.",
    rule: 'administrator',
    helps: 'Grant a lower role.',
  },
  conflict: taken,
  fileidinuse: { error: Conflict, says: 'The id is already in use.' },
  badrequest: refused,
}

/** The error for the first known reason, with Drive's text; undefined if no reason is known. */
export function errorForReason(found: readonly string[], detail: string, waiting: ErrorDetails): ToolError | undefined {
  const known = found.find((each) => Object.hasOwn(reasons, each))
  const reason = known === undefined ? undefined : reasons[known]
  if (!reason) return undefined
  const { error: Kind, says, rule, helps = '', next, retryable } = reason
  const text = [says, detail, rule === undefined ? '' : rules[rule], helps].filter((each) => each !== '').join(' ')
  const error = new Kind(text, { ...(next && { next }), ...(retryable !== undefined && { retryable }) })
  return error instanceof RateLimited ? new Kind(text, { ...error.details, ...waiting }) : error
}
