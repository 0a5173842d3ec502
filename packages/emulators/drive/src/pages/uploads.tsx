import { isObject, parseJson } from '@mcp-toolkits/emulator'
import { Time } from '@mcp-toolkits/emulator/workspace'
import { integer, type Store } from '@mcp-toolkits/sqlite'
import { parseFirstRequest, selectSessions } from '../uploads/sessions.ts'
import { itemById } from '../store/items.ts'
import type { DriveStore } from '../store/viewers.ts'
import { sizeText } from './items.tsx'

const maxUploads = 20

/** Text that changes after each part of an upload. */
export function uploadRevision(store: Store): string {
  const sql = 'select count(*) as count, coalesce(sum(received), 0) as received from sessions where madeId is null'
  const [{ count, received } = { count: 0, received: 0 }] = store.rows({ count: integer, received: integer }, sql)
  return `${count}-${received}`
}

/** Unfinished uploads, newest first. Their addresses are secrets, so the list does not link to them. */
export function Uploads({ store }: { readonly store: DriveStore }) {
  const uploads = selectSessions(store, 'where madeId is null order by createdAt desc, rowid desc limit :maxUploads', { maxUploads })
  if (uploads.length === 0) return null
  return (
    <section aria-labelledby="uploads">
      <h2 id="uploads">Uploads in progress</h2>
      <ul class="rows">
        {uploads.map((upload) => {
          const name = nameOf(store, upload.fileId, parseFirstRequest(upload).metadata)
          return (
            <li>
              <bdi>{name}</bdi> <Received received={upload.received} total={upload.total} name={name} />{' '}
              <Time at={new Date(upload.createdAt).toISOString()} />
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function nameOf(store: DriveStore, fileId: string | null, metadata: string): string {
  const sent = parseJson(metadata)
  if (isObject(sent) && typeof sent['name'] === 'string') return sent['name']
  return (fileId === null ? undefined : itemById(store, fileId)?.name) ?? 'Untitled'
}

interface ReceivedProps {
  readonly received: number
  readonly total: number | null
  readonly name: string
}

function Received({ received, total, name }: ReceivedProps) {
  if (total === null || total === 0) return <span class="soft">{sizeText(received)} so far</span>
  return (
    <span>
      <progress value={received} max={total} aria-label={`Upload of ${name}`} /> {sizeText(received)} of {sizeText(total)}
    </span>
  )
}
