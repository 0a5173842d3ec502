import { defineMethod } from '../defined-methods.ts'
import { memberDrive } from '../drives.ts'
import type { DriveEndpoint } from '../endpoints.ts'
import { required } from '../errors.ts'
import { applyMask, type Mask } from '../field-masks.ts'
import { defaultFields } from '../files/resource.ts'
import { readScopes } from '../oauth/tokens.ts'
import type { Session } from '../session.ts'
import { changeListShape, maskOf, readMask } from '../whole-shapes.ts'
import { newestToken, readFeed } from './feed.ts'

const defaultListFields: Mask = new Map<string, Mask>([
  ...maskOf('kind', 'nextPageToken', 'newStartPageToken'),
  [
    'changes',
    new Map<string, Mask>([...maskOf('kind', 'type', 'changeType', 'time', 'removed', 'fileId', 'driveId'), ['file', defaultFields]]),
  ],
])

/** The methods of the feed of changes: https://developers.google.com/workspace/drive/api/guides/manage-changes. */
export const changeMethods: readonly DriveEndpoint[] = [
  defineMethod('changes.getStartPageToken', {
    scopes: readScopes,
    cost: 'other',
    answer(session) {
      const driveId = session.params.text('driveId')
      if (driveId !== undefined) memberDrive(session, driveId)
      return { kind: 'drive#startPageToken', startPageToken: newestToken(session.store) }
    },
  }),
  defineMethod('changes.list', { scopes: readScopes, cost: 'list', answer: listChanges }),
]

function listChanges(session: Session): unknown {
  const { params } = session
  const mask = readMask(session, changeListShape, defaultListFields)
  const size = params.whole('pageSize', { usual: 100, largest: 1000 })
  const token = params.text('pageToken')
  if (token === undefined) throw required('pageToken', 'Required parameter: pageToken')
  const { changes, next, newest } = readFeed(session, { token, size, mask })
  const answer = {
    kind: 'drive#changeList',
    ...(next !== undefined && { nextPageToken: next }),
    ...(newest !== undefined && { newStartPageToken: newest }),
    changes,
  }
  return applyMask(answer, mask)
}
