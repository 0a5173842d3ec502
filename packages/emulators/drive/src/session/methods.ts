import type { Store } from '@mcp-toolkits/sqlite'
import type { Body } from '../content/content.ts'
import type { Session } from './session.ts'
import type { Caller, Scope } from '../oauth/tokens.ts'
import { quotaUnits } from '../http/quota.ts'

const verbs = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT'] as const

/** An API method. */
export interface DriveEndpoint {
  /** The method's name in Google's documentation: `files.list`. */
  readonly name: string
  readonly method: (typeof verbs)[number]
  readonly path: string
  readonly scopes: readonly Scope[]
  readonly units: (session: Session) => number
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

/** One method's HTTP call, under `/drive/v3`. */
interface MethodCall {
  readonly method: (typeof verbs)[number]
  /** Path with `:name` for a variable part. */
  readonly path: string
}

const fixed = ['about.get GET /about', 'apps.get GET /apps/:appId', 'apps.list GET /apps', 'channels.stop POST /channels/stop']

const ofFiles = `accessproposals.get GET /accessproposals/:proposalId
accessproposals.list GET /accessproposals
accessproposals.resolve POST /accessproposals/:proposalId{[^/]+:resolve}
approvals.approve POST /approvals/:approvalId{[^/]+:approve}
approvals.cancel POST /approvals/:approvalId{[^/]+:cancel}
approvals.comment POST /approvals/:approvalId{[^/]+:comment}
approvals.decline POST /approvals/:approvalId{[^/]+:decline}
approvals.get GET /approvals/:approvalId
approvals.list GET /approvals
approvals.reassign POST /approvals/:approvalId{[^/]+:reassign}
approvals.start POST /approvals:start
comments.create POST /comments
comments.delete DELETE /comments/:commentId
comments.get GET /comments/:commentId
comments.list GET /comments
comments.update PATCH /comments/:commentId
files.copy POST /copy
files.download POST /download
files.export GET /export
files.listLabels GET /listLabels
files.modifyLabels POST /modifyLabels
files.watch POST /watch
permissions.create POST /permissions
permissions.delete DELETE /permissions/:permissionId
permissions.get GET /permissions/:permissionId
permissions.list GET /permissions
permissions.update PATCH /permissions/:permissionId
replies.create POST /comments/:commentId/replies
replies.delete DELETE /comments/:commentId/replies/:replyId
replies.get GET /comments/:commentId/replies/:replyId
replies.list GET /comments/:commentId/replies
replies.update PATCH /comments/:commentId/replies/:replyId
revisions.delete DELETE /revisions/:revisionId
revisions.get GET /revisions/:revisionId
revisions.list GET /revisions
revisions.update PATCH /revisions/:revisionId`
  .split('\n')
  .map((line) => line.replace(' /', ' /files/:fileId/'))

const others = `changes.getStartPageToken GET /changes/startPageToken
changes.list GET /changes
changes.watch POST /changes/watch
drives.create POST /drives
drives.delete DELETE /drives/:driveId
drives.get GET /drives/:driveId
drives.hide POST /drives/:driveId/hide
drives.list GET /drives
drives.unhide POST /drives/:driveId/unhide
drives.update PATCH /drives/:driveId
files.create POST /files
files.delete DELETE /files/:fileId
files.emptyTrash DELETE /files/trash
files.generateCseToken GET /files/generateCseToken
files.generateIds GET /files/generateIds
files.get GET /files/:fileId
files.list GET /files
files.update PATCH /files/:fileId
operations.get GET /operations/:name
teamdrives.create POST /teamdrives
teamdrives.delete DELETE /teamdrives/:teamDriveId
teamdrives.get GET /teamdrives/:teamDriveId
teamdrives.list GET /teamdrives
teamdrives.update PATCH /teamdrives/:teamDriveId`.split('\n')

/** All API methods by name, as documented by Google: https://developers.google.com/workspace/drive/api/reference/rest/v3. */
export const driveMethods: ReadonlyMap<string, MethodCall> = new Map(
  [...fixed, ...ofFiles, ...others].map((line): [string, MethodCall] => {
    const [name = '', verb, path = ''] = line.split(' ')
    return [name, { method: verbs.find((each) => each === verb) ?? 'GET', path }]
  }),
)

type Cost = keyof typeof quotaUnits

interface MethodDefinition {
  readonly scopes: readonly Scope[]
  readonly cost: Cost | ((session: Session) => Cost)
  readonly answer: DriveEndpoint['answer']
}

/** The endpoint for the method with this name in Google's reference. */
export function defineMethod(name: string, { scopes, cost, answer }: MethodDefinition): DriveEndpoint {
  const call = driveMethods.get(name)
  if (call === undefined) throw new Error(`${name} is not one of the methods in methods.ts.`)
  return { name, ...call, scopes, units: (session) => quotaUnits[typeof cost === 'function' ? cost(session) : cost], answer }
}
