import { member } from '@mcp-toolkits/core/base'
import { textAt, type Storage } from '../storage.ts'

type Emulated = Pick<Storage, 'emulator'>

const headers = { authorization: 'Bearer test-token', 'content-type': 'text/markdown' }

async function sendByOther({ emulator }: Emulated, place: string, init: RequestInit = {}): Promise<Response> {
  const response = await emulator.fetch(`http://localhost/${place}`, { ...init, headers })
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`)
  return response
}

/** Writes a file as another of the person's programs would. */
export const otherWriter = (server: Emulated, id: string) => async (text: string) =>
  sendByOther(server, `upload/drive/v3/files/${id}?uploadType=media`, { method: 'PATCH', body: text })

/** A file's text. */
export async function contentIn(server: Emulated, id: string): Promise<string> {
  return (await sendByOther(server, `drive/v3/files/${id}?alt=media`)).text()
}

/** A file's revisions, oldest first. */
export async function revisionsIn(server: Emulated, id: string): Promise<readonly { readonly id: string; readonly kept: boolean }[]> {
  const answer: unknown = await (await sendByOther(server, `drive/v3/files/${id}/revisions?fields=revisions(id,keepForever)`)).json()
  const revisions = member(answer, 'revisions')
  const rows: readonly unknown[] = Array.isArray(revisions) ? revisions : []
  return rows.map((row) => ({ id: textAt(row, 'id'), kept: member(row, 'keepForever') === true }))
}
