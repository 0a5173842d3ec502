// Google Drive: many files.
import { member } from '../../../packages/core/src/base/json.ts'
import { added, changed, type Task } from '../task.ts'
import { column, rows, rowWith } from '../tools.ts'

const drive = { vendors: ['drive'] } as const
const research = 'Trails launch/Research'
const guides = ['Alpenpass Guides', 'Ridgeline Mountaineering', 'Fjellvakt', 'Cordée Sud', 'Pico Norte', 'Stone & Sky']
const photo = (index: number) => `Photo ${index % 11 === 0 ? 2025 : 2026} ${String(index).padStart(3, '0')}.txt`
const photos = Array.from({ length: 130 }, (_, index) => photo(index))

export const driveMany: readonly Task[] = [
  {
    ...drive,
    id: 'drive-hand-over',
    grade: 'middle',
    wish: 'Noah takes over my drafts: put everything that is in Drafts into a new folder "Handover to Noah" and let noah.weiss@lodestar.example change it.',
    ends: [
      added('files', { name: 'Handover to Noah', parent: 'My Drive' }),
      ...['All-hands talk.md', 'Letter to the beta teams.txt'].map((name) =>
        changed('files', `My Drive/Drafts/${name}`, { parent: 'My Drive/Handover to Noah' }),
      ),
      added('permissions', { file: 'My Drive/Handover to Noah', emailAddress: 'noah.weiss@lodestar.example', role: 'writer' }),
    ],
    async solve({ call }) {
      const tree = await call('GetFileTreeStructure')
      const drafts = rowWith(rowWith(tree['drives'], 'name', 'My Drive')['items'], 'name', 'Drafts')['children']
      const folder = member((await call('CreateFolder', { folder_name: 'Handover to Noah' }))['folder'], 'id')
      for (const id of column(drafts, 'id')) await call('MoveFile', { source_file_path_or_id: id, destination_folder_path_or_id: folder })
      await call('ShareFile', { file_path_or_id: folder, email_addresses: ['noah.weiss@lodestar.example'], role: 'writer' })
      return 'Noah has your drafts.'
    },
  },
  {
    ...drive,
    id: 'drive-collect',
    grade: 'middle',
    wish: 'In Trails launch, under Research, put the interviews with the guides into a folder of their own called Interviews. The interview guide stays where it is.',
    ends: [
      added('files', { name: 'Interviews', parent: research }),
      ...guides.map((name) => changed('files', `${research}/Interview ${name}.md`, { parent: `${research}/Interviews` })),
    ],
    async solve({ call }) {
      const { files } = await call('SearchFiles', { query: 'interview', shared_drive_id: 'Trails launch', limit: 50 })
      const interviews = rows(files).filter(({ name }) => /^Interview (?!guide)/.test(String(name)))
      const found = await call('SearchFiles', { query: 'Research', shared_drive_id: 'Trails launch', file_types: 'folder' })
      const parent = rowWith(found['files'], 'name', 'Research')['id']
      const { folder } = await call('CreateFolder', { folder_name: 'Interviews', parent_folder_path_or_id: parent })
      const destination = member(folder, 'id')
      for (const id of column(interviews, 'id'))
        await call('MoveFile', { source_file_path_or_id: id, destination_folder_path_or_id: destination })
      return `Interviews has ${interviews.length} files.`
    },
  },
  {
    ...drive,
    id: 'drive-names',
    grade: 'middle',
    wish: 'The notes in Meetings of Trails launch are called "Launch meeting, 7 weeks to go.md" and so on. Call them "Launch, week -7.md" instead, all of them.',
    ends: [7, 6, 5, 4, 3].map((week) =>
      changed('files', `Trails launch/Meetings/Launch meeting, ${week} weeks to go.md`, { name: `Launch, week -${week}.md` }),
    ),
    async solve({ call }) {
      const { files } = await call('SearchFiles', { query: 'launch meeting', shared_drive_id: 'Trails launch', limit: 50 })
      const notes = rows(files).filter(({ name }) => /^Launch meeting, \d weeks to go/.test(String(name)))
      for (const { id, name } of notes)
        await call('RenameFile', {
          file_path_or_id: id,
          new_filename: String(name).replace(/^Launch meeting, (\d) weeks to go/, 'Launch, week -$1'),
        })
      return `I have renamed ${notes.length} files.`
    },
  },
  {
    ...drive,
    id: 'drive-photos',
    grade: 'hard',
    wish: 'My folder Photos has more than a hundred files. Those of 2025, by their names, go into a new folder "Photos 2025" beside it.',
    prepare: {
      drive({ addItem }) {
        const parent = addItem({ name: 'Photos', type: 'application/vnd.google-apps.folder' })
        for (const name of photos) addItem({ name, parent, text: name })
      },
    },
    ends: [
      added('files', { name: 'Photos 2025', parent: 'My Drive' }),
      ...photos
        .filter((name) => name.includes('2025'))
        .map((name) => changed('files', `My Drive/Photos/${name}`, { parent: 'My Drive/Photos 2025' })),
    ],
    async solve({ call }) {
      const { files } = await call('SearchFiles', { query: '2025', folder_path_or_id: 'Photos', limit: 50 })
      const { folder } = await call('CreateFolder', { folder_name: 'Photos 2025' })
      const old = rows(files).filter(({ name }) => String(name).startsWith('Photo 2025'))
      for (const id of column(old, 'id'))
        await call('MoveFile', { source_file_path_or_id: id, destination_folder_path_or_id: member(folder, 'id') })
      return `Photos 2025 has ${old.length} files.`
    },
  },
]
