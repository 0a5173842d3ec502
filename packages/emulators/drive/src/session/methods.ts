import type { Store } from '@mcp-toolkits/sqlite'
import type { Body } from '../content/content.ts'
import type { Session } from './session.ts'
import type { Caller, Scope } from '../oauth/tokens.ts'
import { quotaUnits } from '../http/quota.ts'

const verbs = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT'] as const

/** A method of the API, under `/drive/v3`. */
interface DriveMethod {
  readonly method: (typeof verbs)[number]
  /** Path with `:name` for a variable part. */
  readonly path: string
  /** Scopes, any of which is enough; a method that is not emulated has none. */
  readonly scopes: readonly Scope[]
  readonly units: (session: Session) => number
}

/** An emulated method. */
export interface DriveEndpoint extends DriveMethod {
  /** The method's name in Google's documentation: `files.list`. */
  readonly name: string
  /** Returns JSON, a complete response, or undefined for an empty one. */
  readonly answer: (session: Session, request: EndpointRequest) => unknown
  /** The caller, for endpoints whose URL authenticates the request. */
  readonly caller?: (store: Store, at: { readonly url: URL; readonly now: number }) => Caller
}

/** A request as seen by an endpoint. */
export interface EndpointRequest {
  /** Returns a named part of the path. */
  readonly part: (name: string) => string
  /** The body as text. */
  readonly body: () => string
  readonly bytes: Uint8Array
  /** The body of a content upload. */
  readonly stream: Body
  readonly headers: Headers
  readonly url: URL
  readonly method: string
}

const ofFiles = `accessproposals.get GET /accessproposals/:proposalId
accessproposals.list GET /accessproposals read list
accessproposals.resolve POST /accessproposals/:proposalId{[^/]+:resolve}
approvals.approve POST /approvals/:approvalId{[^/]+:approve}
approvals.cancel POST /approvals/:approvalId{[^/]+:cancel}
approvals.comment POST /approvals/:approvalId{[^/]+:comment}
approvals.decline POST /approvals/:approvalId{[^/]+:decline}
approvals.get GET /approvals/:approvalId
approvals.list GET /approvals
approvals.reassign POST /approvals/:approvalId{[^/]+:reassign}
approvals.start POST /approvals:start
comments.create POST /comments write edit
comments.delete DELETE /comments/:commentId write edit
comments.get GET /comments/:commentId read get
comments.list GET /comments read list
comments.update PATCH /comments/:commentId write edit
files.copy POST /copy write edit
files.download POST /download
files.export GET /export read download
files.listLabels GET /listLabels read list
files.modifyLabels POST /modifyLabels
files.watch POST /watch read other
permissions.create POST /permissions write edit
permissions.delete DELETE /permissions/:permissionId write edit
permissions.get GET /permissions/:permissionId read get
permissions.list GET /permissions read list
permissions.update PATCH /permissions/:permissionId write edit
replies.create POST /comments/:commentId/replies write edit
replies.delete DELETE /comments/:commentId/replies/:replyId write edit
replies.get GET /comments/:commentId/replies/:replyId read get
replies.list GET /comments/:commentId/replies read list
replies.update PATCH /comments/:commentId/replies/:replyId write edit
revisions.delete DELETE /revisions/:revisionId write edit
revisions.get GET /revisions/:revisionId read get
revisions.list GET /revisions read list
revisions.update PATCH /revisions/:revisionId write edit`
  .split('\n')
  .map((line) => line.replace(' /', ' /files/:fileId/'))

const others = `about.get GET /about read get
apps.get GET /apps/:appId read get
apps.list GET /apps read list
channels.stop POST /channels/stop read other
changes.getStartPageToken GET /changes/startPageToken read other
changes.list GET /changes read list
changes.watch POST /changes/watch read other
drives.create POST /drives drive edit
drives.delete DELETE /drives/:driveId drive edit
drives.get GET /drives/:driveId drives get
drives.hide POST /drives/:driveId/hide drive edit
drives.list GET /drives drives list
drives.unhide POST /drives/:driveId/unhide drive edit
drives.update PATCH /drives/:driveId drive edit
files.create POST /files write edit
files.delete DELETE /files/:fileId write edit
files.emptyTrash DELETE /files/trash drive edit
files.generateCseToken GET /files/generateCseToken
files.generateIds GET /files/generateIds write other
files.get GET /files/:fileId read get download
files.list GET /files read list
files.update PATCH /files/:fileId write edit
operations.get GET /operations/:name
teamdrives.create POST /teamdrives
teamdrives.delete DELETE /teamdrives/:teamDriveId
teamdrives.get GET /teamdrives/:teamDriveId
teamdrives.list GET /teamdrives
teamdrives.update PATCH /teamdrives/:teamDriveId`.split('\n')

/** The scopes that a method accepts, any of which is enough. */
const scopeSets: Readonly<Record<string, readonly Scope[]>> = {
  read: ['drive', 'drive.readonly', 'drive.file'],
  write: ['drive', 'drive.file'],
  drives: ['drive', 'drive.readonly'],
  drive: ['drive'],
}

/**
 * All API methods by name, as documented by Google: https://developers.google.com/workspace/drive/api/reference/rest/v3. The emulated ones
 * also have their scopes, their cost and, if it differs, the cost with `alt=media`.
 */
export const driveMethods: ReadonlyMap<string, DriveMethod> = new Map(
  [...ofFiles, ...others].map((line): [string, DriveMethod] => {
    const [name = '', verb, path = '', scopes = '', cost = '', ofMedia = cost] = line.split(' ')
    const units = ({ params }: Session) => quotaUnits[params.text('alt') === 'media' ? ofMedia : cost] ?? 0
    return [name, { method: verbs.find((each) => each === verb) ?? 'GET', path, scopes: scopeSets[scopes] ?? [], units }]
  }),
)

/** Method handlers, by the methods' names in Google's reference. */
export type Answers = Readonly<Record<string, DriveEndpoint['answer']>>

/** Endpoints for the given handlers. */
export const defineMethods = (answers: Answers): DriveEndpoint[] =>
  Object.entries(answers).map(([name, answer]) => {
    const method = driveMethods.get(name)
    if (method === undefined || method.scopes.length === 0) throw new Error(`methods.ts has no scopes for ${name}.`)
    return { name, ...method, answer }
  })
