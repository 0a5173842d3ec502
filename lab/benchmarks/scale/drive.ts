// A Drive with many files, and what people and programs ask of it most.
import type { DatabaseSync } from 'node:sqlite'
import { driveEmulator } from '../../../packages/emulators/drive/src/index.ts'
import { extendedApi } from '../../../packages/emulators/drive/src/api/extended-api.ts'
import { openForPlanting } from './copies.ts'
import type { ScaledEmulator, ScaleRequest } from './scaled-emulator.ts'

/** A word that stands in one file alone. */
const rareWord = 'zeppelin'

async function plant(file: string, count: number): Promise<void> {
  const emulator = driveEmulator({ file, seed: 'company', api: extendedApi })
  emulator.addItem({ name: 'Airships.txt', text: `What is known of the ${rareWord}.`, days: 900 })
  using database = openForPlanting(file)
  emulator.addFiles(count - Number(database.prepare('select count(*) as count from files').get()?.['count']))
  // Each file was created by an agent.
  database.exec(`insert into mutations (at, method, fileId, viewer, call)
    select createdTime, 'files.create', id, ownerId, 'UploadFile' from files order by createdTime`)
  await emulator.close()
}

const page = (name: string, path: string): ScaleRequest => ({ kind: 'page', name, path: `/workspace${path}` })

const get = (name: string, path: string, parameters: Readonly<Record<string, string>> = {}): ScaleRequest => ({
  kind: 'query',
  name,
  path: `/drive/v3${path}?${new URLSearchParams(parameters).toString()}`,
})

const list = (name: string, parameters: Readonly<Record<string, string>>): ScaleRequest =>
  get(name, '/files', { pageSize: '50', fields: 'nextPageToken,files(id,name,mimeType,modifiedTime,size)', ...parameters })

const send = (name: string, method: 'POST' | 'PATCH', path: string, body: (number: number) => object): ScaleRequest => ({
  kind: 'query',
  ...{ name, method, path: `/drive/v3${path}`, body },
})

const textFrom = (database: DatabaseSync) => (sql: string) => String(Object.values(database.prepare(sql).get() ?? {})[0])

export const drive: ScaledEmulator = {
  name: 'drive-emulator',
  records: 'files',
  count: 100_000,
  file: 'drive.db',
  authorization: 'Bearer drive-emulator',
  plant,
  requests(file) {
    using database = openForPlanting(file)
    const text = textFrom(database)
    const folder = text("select id from files where name = 'Folder 0'")
    const id = text("select id from files where name = 'Item 33.txt'")
    const drivePath = `/drive/folders/${text('select id from drives limit 1')}`
    return [
      page('files', '/files'),
      page('folder', `/drive/folders/${folder}`),
      page('shared drive', drivePath),
      page('file', `/file/d/${id}`),
      page('trash', '/trash'),
      page('activity', '/activity'),
      page('requests', '/requests'),
      list('`files.list`, the newest 50', {}),
      list('`files.list` of a folder', { q: `'${folder}' in parents and trashed = false`, orderBy: 'folder,name' }),
      list('`files.list` by name', { q: "name = 'Item 33.txt' and trashed = false" }),
      list('`files.list` by a rare word in the name', { q: "name contains 'airsh' and trashed = false" }),
      list('`files.list` by a rare word in the text', { q: `fullText contains '${rareWord}' and trashed = false` }),
      list('`files.list` by a rare word in the name or the text', {
        q: `(name contains '${rareWord}' or fullText contains '${rareWord}')`,
      }),
      list('`files.list` of all folders', { q: "mimeType = 'application/vnd.google-apps.folder' and trashed = false" }),
      list('`files.list` of what is shared with me', { q: 'sharedWithMe = true' }),
      get('`files.get`', `/files/${id}`, { fields: '*' }),
      get('`files.get` with `alt=media`', `/files/${id}`, { alt: 'media' }),
      send('`files.create`', 'POST', '/files', (number) => ({ name: `Measured ${number}.txt`, parents: [folder] })),
      send('`files.update`', 'PATCH', `/files/${id}`, (number) => ({ description: `Measured ${number}.` })),
      get('`changes.list`, the newest', '/changes', { pageToken: text('select max(id) - 20 as id from mutations') }),
      get('`about.get`', '/about', { fields: 'user,storageQuota' }),
    ]
  },
}
