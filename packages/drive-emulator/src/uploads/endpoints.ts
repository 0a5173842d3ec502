import { writers } from '../access.ts'
import { costing, type Endpoint } from '../endpoint.ts'
import { units } from '../units.ts'
import { beginUpload, cancelUpload, continueUpload } from './uploads.ts'
import { callerOf } from './sessions.ts'

const byAddress: Endpoint['caller'] = (store, { url, now }) => callerOf(store, { id: url.searchParams.get('upload_id'), now })

/** Takes the chunks: whatever the method, a request to a session is one, since some clients send theirs with POST. */
export const chunkEndpoint: Endpoint = {
  name: 'upload.chunk',
  method: 'PUT',
  path: '/files',
  scopes: writers,
  units: costing(0),
  caller: byAddress,
  answer: (session, asked) => (asked.method === 'DELETE' ? cancelUpload(session) : continueUpload(session, asked)),
}

/** The methods that take content, below `/upload/drive/v3`. */
export const uploadEndpoints: readonly Endpoint[] = [
  {
    name: 'files.create',
    method: 'POST',
    path: '/files',
    scopes: writers,
    units: costing(units.edit),
    answer: (session, asked) => beginUpload(session, asked, null),
  },
  {
    name: 'files.update',
    method: 'PATCH',
    path: '/files/:fileId',
    scopes: writers,
    units: costing(units.edit),
    answer: (session, asked) => beginUpload(session, asked, asked.part('fileId')),
  },
]
