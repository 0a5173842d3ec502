import type { JsonObject } from '../../../packages/core/src/base/json.ts'
import { driveEmulator, type DriveEmulator } from '../../../packages/emulators/drive/src/library.ts'
import { changesIn, sendJson, type World } from './world.ts'

/** Columns that are derived from others, or only say when and by whom something was done. */
const derived =
  /^(?:n|id|at|indexedAt|version|size|md5|headRevisionId|sharingId|role|reach|inDomain|shared|granted|explicitlyTrashed|ownerId|driveId|lastModifyingId|originalFilename|displayName|resourceKey)$|Fold$|Natural$|Words$|Time$/
/** Columns of a permission that are derived from others. */
const ofPermission = /^(?:n|permissionId|displayName)$/

/** The key of a file's content, and its id. */
type Content = readonly [content: unknown, id: unknown]

export async function openDrive(): Promise<World> {
  const key = 'drive-emulator'
  const emulator = driveEmulator({ seed: 'company', accessToken: key })
  const { url } = await emulator.listen()
  let before: ReadonlyMap<string, string> = new Map()
  const textOf = async (id: string) => {
    const response = await fetch(`${url}/drive/v3/files/${id}?alt=media&supportsAllDrives=true`, {
      headers: { authorization: `Bearer ${key}` },
    })
    return response.ok ? response.text() : null
  }
  const textsOf = async (files: readonly Content[]) =>
    new Map(await Promise.all(files.map(async ([content, id]) => [content, await textOf(String(id))] as const)))
  /** Reads the texts as of the beginning, by temporarily restoring that state. */
  const formerTexts = async (files: readonly Content[]) => {
    if (files.length === 0) return new Map<unknown, string | null>()
    emulator.snapshot('end')
    emulator.restore('beginning')
    const texts = await textsOf(files)
    emulator.restore('end')
    return texts
  }
  return {
    ...{ vendor: 'drive', url, key },
    begin({ prepare }) {
      emulator.reset()
      prepare?.drive?.(emulator)
      emulator.snapshot('beginning')
      before = pathsIn(emulator)
    },
    async signIn() {
      const { refreshToken } = await emulator.login('robin.vance@lodestar.example')
      emulator.snapshot('beginning')
      return refreshToken ?? ''
    },
    requests: () => emulator.requests().length,
    async changes() {
      emulator.faults.clear()
      const diff = emulator.diff('beginning')
      const paths = new Map([...pathsIn(emulator), ...before])
      const { added = [], changed = [] } = diff['files'] ?? {}
      const rewritten = changed.flatMap(({ row, changes: { content } }) => (content ? [{ id: row['id'], ...content }] : []))
      const present = await textsOf([
        ...added.map(({ id, content }) => [content, id] as const),
        ...rewritten.map(({ id, to }) => [to, id] as const),
      ])
      const texts = new Map([...(await formerTexts(rewritten.map(({ id, from }) => [from, id] as const))), ...present])
      return changesIn(diff, {
        nameOf: (table, row) => paths.get(String(row[table === 'files' ? 'id' : 'fileId'])) ?? '',
        fieldsOf: (table, row) => fieldsOf(table, row, { paths, texts }),
      })
    },
    doHarm() {
      const file = emulator.store.named('Launch budget.csv')[0]
      return sendJson(`${url}/drive/v3/files/${String(file?.id)}/permissions?supportsAllDrives=true`, `Bearer ${key}`, {
        type: 'anyone',
        role: 'reader',
      })
    },
    async [Symbol.asyncDispose]() {
      await emulator.close()
    },
  }
}

interface Known {
  readonly paths: ReadonlyMap<string, string>
  readonly texts: ReadonlyMap<unknown, string | null>
}

function fieldsOf(table: string, row: JsonObject, { paths, texts }: Known): JsonObject {
  const kept = Object.entries(row).filter(([column]) => !(table === 'permissions' ? ofPermission : derived).test(column))
  return Object.fromEntries(
    kept.map(([column, value]) => {
      if (column === 'content') return ['text', texts.get(value) ?? null]
      return column.endsWith('Id') ? [column.replace(/Id$/, ''), paths.get(String(value)) ?? value] : [column, value]
    }),
  )
}

/** The paths of all files by id, from the drive or the owner down. */
function pathsIn({ store }: DriveEmulator): ReadonlyMap<string, string> {
  const files = new Map(store.files().map((file) => [file.id, file]))
  const pathOf = (id: string | null): string => {
    const file = files.get(id ?? '')
    if (!file) return ''
    return [pathOf(file.parentId), file.name].filter(Boolean).join('/')
  }
  return new Map([...files.keys()].map((id) => [id, pathOf(id)]))
}
