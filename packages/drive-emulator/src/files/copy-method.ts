import { defineMethod } from '../defined-methods.ts'
import type { DriveEndpoint } from '../endpoints.ts'
import { writeScopes } from '../oauth/tokens.ts'
import { copyFile } from './copy.ts'
import { parseFileMask, respondWithFile } from './resource.ts'

/** https://developers.google.com/workspace/drive/api/reference/rest/v3/files/copy */
export const copyMethod: DriveEndpoint = defineMethod('files.copy', {
  scopes: writeScopes,
  cost: 'edit',
  async answer(session, { part, body }) {
    parseFileMask(session)
    return respondWithFile(session, await copyFile(session, part('fileId'), body()))
  },
})
