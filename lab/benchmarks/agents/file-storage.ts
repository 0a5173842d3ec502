// Mistaken calls to file-storage, over the files that the emulator of Google Drive is seeded with: where something is, and which drive.
import { driveIdFor, fileIdFor } from '../../../packages/emulators/drive/src/files/ids.ts'
import { firstViewer } from '../../../packages/emulators/drive/src/people/people.ts'
import { casesOf, type Arguments, type MistakenCall } from './cases.ts'

const path = casesOf('path')
const sharedDrive = casesOf('shared drive')
const loss = casesOf('silent loss')

const photos = fileIdFor(`${firstViewer.rootId} Photos`)
const summer = fileIdFor(`${photos} Summer 2026`)
const lakeId = fileIdFor(`${summer} lake.png`)
const lake = 'Photos/Summer 2026/lake.png'
const readme = 'Projects/Gemini/Readme.md'
const engineering = driveIdFor('drive Engineering')
const design = driveIdFor('drive Design')

const download = (written: string, meant = lake) => path.means('DownloadFile', { file_path_or_id: written }, { file_path_or_id: meant })

const lakes = [
  ...['./Photos/Summer 2026/lake.png', '/Photos/Summer 2026/lake.png', 'root/Photos/Summer 2026/lake.png', '~/Photos/Summer 2026/lake.png'],
  ...['MyDrive/Photos/Summer 2026/lake.png', 'My Drive/Photos/Summer 2026/lake.png', '/My Drive/Photos/Summer 2026/lake.png'],
  ...[
    'my drive/Photos/Summer 2026/lake.png',
    String.raw`Photos\Summer 2026\lake.png`,
    'Photos/Summer%202026/lake.png',
    'Photos/Summer+2026/lake.png',
  ],
  ...['"Photos/Summer 2026/lake.png"', '“Photos/Summer 2026/lake.png”', '`Photos/Summer 2026/lake.png`', "'Photos/Summer 2026/lake.png'"],
  ...['Photos/Summer 2026/lake.png ', ' Photos/Summer 2026/lake.png', 'Photos//Summer 2026/lake.png', 'Photos/Summer 2026/lake.png/'],
  ...['photos/summer 2026/lake.png', 'PHOTOS/Summer 2026/lake.png', 'Photos/Summer 2026/Lake.png', 'Photos/Summer 2026/LAKE.PNG'],
  ...[
    'Photos/Summer 2026/lake',
    'Photos/Sumer 2026/lake.png',
    'Photo/Summer 2026/lake.png',
    'Photos/Summer-2026/lake.png',
    'Photos/Summer 2026/lak.png',
  ],
  ...[`/${lakeId}`, `id:${lakeId}`, ` ${lakeId} `, `"${lakeId}"`, `ID: ${lakeId}`],
  ...[`google-drive:///${lakeId}/lake.png`, `google-drive:///${lakeId}`, `https://drive.google.com/file/d/${lakeId}/view?usp=drive_link`],
  ...[
    `https://drive.google.com/open?id=${lakeId}`,
    `drive.google.com/file/d/${lakeId}/view`,
    `<https://drive.google.com/file/d/${lakeId}/view>`,
  ],
]

const moreLakes = [
  ...['drive:/Photos/Summer 2026/lake.png', 'Drive/Photos/Summer 2026/lake.png', 'file:///Photos/Summer 2026/lake.png'],
  ...['Photos » Summer 2026 » lake.png', 'path: Photos/Summer 2026/lake.png', 'Photos／Summer 2026／lake.png'],
  ...[
    'the file Photos/Summer 2026/lake.png',
    'Photo/Sumer 2026/lake.png',
    'Photos/Summer_2026/lake.png',
    'Photos%2FSummer%202026%2Flake.png',
  ],
  ...[`file_id=${lakeId}`, `(${lakeId})`, `Photos/Summer 2026/${lakeId}`, `${photos}/Summer 2026/lake.png`, `${summer}/lake.png`],
  ...[
    `[lake.png](https://drive.google.com/file/d/${lakeId}/view)`,
    `https://www.googleapis.com/drive/v3/files/${lakeId}`,
    `https://drive.google.com/uc?id=${lakeId}&export=download`,
  ],
]

const odd = "Robin's odds & ends"
const oddly = (written: string, meant: string) => download(`${odd}/${written}`, `${odd}/${meant}`)

const paths: readonly MistakenCall[] = [
  ...[...lakes, ...moreLakes].map((written) => download(written)),
  path.mayMean('DownloadFile', { file_path_or_id: 'lake.png' }, { file_path_or_id: lake }),
  path.mayMean('DownloadFile', { file_path_or_id: 'Summer 2026/lake.png' }, { file_path_or_id: lake }),
  path.mayMean('DownloadFile', { file_path_or_id: 'Photos > Summer 2026 > lake.png' }, { file_path_or_id: lake }),
  path.unclear('DownloadFile', { file_path_or_id: 'Photos/Summer 2026/sunset.png' }),
  path.unclear('DownloadFile', { file_path_or_id: 'Invoices/2026/May.pdf' }),
  download('Robin’s odds & ends/It’s done.txt', `${odd}/It's done.txt`),
  download('Robin%27s%20odds%20%26%20ends/It%27s%20done.txt', `${odd}/It's done.txt`),
  download('projects/gemini/README.md', readme),
  download('Projects/Gemini/Readme', readme),
  oddly('padded', ' padded '),
  oddly('Launch.md', '🚀 Launch 🎉.md'),
  oddly('100%25_sure.txt', '100%_sure.txt'),
  // What exists exactly as written comes first.
  oddly('100%_sure.txt', '100%_sure.txt'),
  oddly(String.raw`C:\temp\log.txt`, String.raw`C:\temp\log.txt`),
  oddly('"quoted".txt', '"quoted".txt'),
  oddly('a/b.txt', 'a/b.txt'),
  path.unclear('DownloadFile', { file_path_or_id: 'Projects/Apollo/Report.pdf' }, 'Report.pdf'),
  path.unclear('SearchFiles', { query: 'notes', folder_path_or_id: 'Plans/Drafts' }, 'Drafts'),
  path.unclear('SearchFiles', { query: 'notes', folder_path_or_id: 'Projects/APOLLO' }, 'Apollo', 'apollo'),
  path.unclear('MoveFile', { source_file_path_or_id: 'Projects/Gemini/Minutes', destination_folder_path_or_id: 'Photos' }, 'Minutes'),
  ...['My Drive', '/', './', 'root/', 'MyDrive', '/My Drive/'].map((folder) =>
    path.means('CreateFolder', { folder_name: 'Invoices', parent_folder_path_or_id: folder }, { parent_folder_path_or_id: 'root' }),
  ),
  ...['Photos/', './Photos', 'photos', 'My Drive/Photos', 'root/Photos', `folders/${photos}`, 'Photos/ ', '"Photos"'].map((folder) =>
    path.means('CreateFolder', { folder_name: '2027', parent_folder_path_or_id: folder }, { parent_folder_path_or_id: 'Photos' }),
  ),
  ...['Photos/', 'photos', '/Photos', 'Photo', 'the Photos folder', 'folder Photos', 'Photos/*'].map((folder) =>
    path.means('SearchFiles', { query: 'prices', folder_path_or_id: folder }, { folder_path_or_id: 'Photos' }),
  ),
  ...['./Projects/Gemini', 'projects/gemini', 'Projects/Gemini/', String.raw`Projects\Gemini`].map((folder) =>
    path.means(
      'MoveFile',
      { source_file_path_or_id: 'Photos/prices.csv', destination_folder_path_or_id: folder },
      { destination_folder_path_or_id: 'Projects/Gemini' },
    ),
  ),
  path.mayMean(
    'MoveFile',
    { source_file_path_or_id: 'Photos/prices.csv', destination_folder_path_or_id: 'Projects/Gemini/prices.csv' },
    { destination_folder_path_or_id: 'Projects/Gemini' },
  ),
  ...['Photos/Start.md', '/Photos/2026.pdf'].map((written) =>
    path.unclear(
      'MoveFile',
      { source_file_path_or_id: 'Projects/Gemini/Readme.md', destination_folder_path_or_id: written },
      'Photos',
      'new_filename',
    ),
  ),
  path.means('CreateFolder', { folder_name: '2027', parent_folder_path_or_id: 'Photos/2027' }, { parent_folder_path_or_id: 'Photos' }),
  path.impossible('MoveFile', { source_file_path_or_id: 'Photos', destination_folder_path_or_id: 'Photos/Summer 2026' }),
  path.means('RenameFile', { file_path_or_id: './Photos/prices.csv', new_filename: 'costs.csv' }, { file_path_or_id: 'Photos/prices.csv' }),
  path.means('RenameFile', { file_path_or_id: 'Photos/Prices.csv', new_filename: 'costs.csv' }, { file_path_or_id: 'Photos/prices.csv' }),
  path.means(
    'ShareFile',
    { file_path_or_id: `id:${photos}`, email_addresses: ['ada.okafor@lodestar.example'] },
    { file_path_or_id: 'Photos' },
  ),
  path.means('DownloadFileChunk', { file_path_or_id: './Photos/prices.csv', start_byte: 0 }, { file_path_or_id: 'Photos/prices.csv' }),
  path.impossible('RenameFile', { file_path_or_id: 'root', new_filename: 'Everything' }),
  path.impossible('DownloadFile', { file_path_or_id: 'Old draft.txt' }),
]

const inEngineering = (written: string, meant = engineering) =>
  sharedDrive.means('DownloadFile', { file_path_or_id: 'Report.pdf', shared_drive_id: written }, { shared_drive_id: meant })
const throughDrive = (written: string, file_path_or_id: string, shared_drive_id: string) =>
  sharedDrive.means('DownloadFile', { file_path_or_id: written }, { file_path_or_id, shared_drive_id })
const restricted = (written: string) =>
  sharedDrive.means('GetFileTreeStructure', { restrict_to_shared_drive_id: written }, { restrict_to_shared_drive_id: design })

const sharedDrives: readonly MistakenCall[] = [
  ...[
    'Engineering',
    'engineering',
    ' Engineering ',
    'ENGINEERING',
    'Engineering drive',
    'Enginering',
    '"Engineering"',
    'Shared drives/Engineering',
    'Engineering (shared drive)',
  ].map((each) => inEngineering(each)),
  ...[
    `https://drive.google.com/drive/folders/${engineering}`,
    ` ${engineering} `,
    `https://drive.google.com/drive/u/0/folders/${engineering}`,
  ].map((each) => inEngineering(each)),
  ...['Design', 'design', 'the Design drive', `https://drive.google.com/drive/folders/${design}`, `id:${design}`].map(restricted),
  sharedDrive.means('SearchFiles', { query: 'escalation', shared_drive_id: 'Engineering' }, { shared_drive_id: engineering }),
  sharedDrive.means('CreateFolder', { folder_name: 'Specs', shared_drive_id: 'Engineering' }, { shared_drive_id: engineering }),
  sharedDrive.means(
    'CreateFolder',
    { folder_name: 'Specs', parent_folder_path_or_id: 'Runbooks', shared_drive_id: 'engineering' },
    { shared_drive_id: engineering },
  ),
  sharedDrive.means(
    'RenameFile',
    { file_path_or_id: 'Report.pdf', new_filename: 'May.pdf', shared_drive_id: 'Engineering' },
    { shared_drive_id: engineering },
  ),
  throughDrive('Engineering/Report.pdf', 'Report.pdf', engineering),
  throughDrive('engineering/Report.pdf', 'Report.pdf', engineering),
  ...['drive_id', 'shared_drive', 'team_drive', 'drive_name'].map((name) =>
    sharedDrive.means(
      'DownloadFile',
      { file_path_or_id: 'Report.pdf', [name]: 'Engineering' },
      { [name]: undefined, shared_drive_id: engineering },
    ),
  ),
  throughDrive('Shared drives/Engineering/Report.pdf', 'Report.pdf', engineering),
  throughDrive('Shared drives/Design/Brand/Logo.png', 'Brand/Logo.png', design),
  throughDrive('Design/Brand/Colours.txt', 'Brand/Colours.txt', design),
  sharedDrive.means(
    'DownloadFile',
    { file_path_or_id: 'Engineering/Report.pdf', shared_drive_id: engineering },
    { file_path_or_id: 'Report.pdf' },
  ),
  sharedDrive.means('SearchFiles', { query: 'logo', shared_drive_id: design, folder_path_or_id: 'brand' }, { folder_path_or_id: 'Brand' }),
  sharedDrive.unclear('SearchFiles', { query: 'escalation', shared_drive_id: 'Marketing' }),
  sharedDrive.unclear('GetFileTreeStructure', { restrict_to_shared_drive_id: 'Finance' }),
  sharedDrive.unclear('SearchFiles', { query: 'escalation', shared_drive_id: 'not Engineering' }),
  sharedDrive.says(/include_shared_drives/, 'SearchFiles', { query: 'report', shared_drive_id: engineering, include_shared_drives: true }),
]

const search = (query: string, more: Arguments = {}) => loss.says(/./, 'SearchFiles', { query, ...more })

const losses: readonly MistakenCall[] = [
  ...['zebra quagga', "name contains 'plan' and mimeType = 'application/pdf'", "fullText contains 'valve'", 'type:pdf report'].map((each) =>
    search(each),
  ),
  ...['owner:me plan', 'title:report', '*.pdf', 'plan OR budget', 'plan AND NOT apollo', "'root' in parents"].map((each) => search(each)),
  search('report', { order_by: 'name' }),
  search('zebra', { folder_path_or_id: 'Photos' }),
  search('valve', { file_types: 'audio' }),
  loss.says(/slash|\//, 'CreateFolder', { folder_name: 'Photos/2027' }),
  loss.says(/slash|\//, 'CreateFolder', { folder_name: 'Projects/Gemini/Budget' }),
  loss.says(/slash|\//, 'RenameFile', { file_path_or_id: readme, new_filename: 'Archive/Readme.md' }),
  loss.says(/slash|\//, 'MoveFile', { source_file_path_or_id: readme, destination_folder_path_or_id: 'Photos', new_filename: 'a/b.md' }),
  // A second item of the same name is announced where the folder is a path; for others a test of two calls shows it.
  loss.says(/two items named/, 'CreateFolder', { folder_name: 'Summer 2026', parent_folder_path_or_id: 'Photos' }),
  loss.says(/two items named/, 'MoveFile', {
    source_file_path_or_id: lake,
    destination_folder_path_or_id: 'Projects/Gemini',
    new_filename: 'Readme.md',
  }),
  loss.says(/not sent|no one|nobody|no mail|no e-?mail/i, 'ShareFile', {
    file_path_or_id: 'Projects/Apollo',
    email_addresses: ['ada.okafor@lodestar.example'],
    role: 'writer',
    message: 'Have a look.',
  }),
  loss.says(/not sent|no one|false/i, 'ShareFile', {
    file_path_or_id: readme,
    email_addresses: ['ada.okafor@lodestar.example'],
    send_notification_email: false,
    message: 'Have a look.',
  }),
]

/** Calls that name a place. */
export const fileStoragePlaces: readonly MistakenCall[] = [...paths, ...sharedDrives, ...losses]
