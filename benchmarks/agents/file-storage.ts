// Mistaken calls to file-storage, over the files that the emulator of Google Drive is seeded with.
import { driveIdFor } from '../../packages/drive-emulator/src/ids.ts'
import { casesOf, type MistakenCall } from './cases.ts'

const path = casesOf('path')
const sharedDrive = casesOf('shared drive')
const enumeration = casesOf('enumeration')
const direction = casesOf('direction')
const loss = casesOf('silent loss')
const argumentName = casesOf('argument name')
const form = casesOf('form')
const toolName = casesOf('tool name')

const lake = 'Photos/Summer 2026/lake.png'
const readme = 'Projects/Gemini/Readme.md'
const download = (text: string) => path.means('DownloadFile', { file_path_or_id: text }, { file_path_or_id: lake })

export const fileStorageCases: readonly MistakenCall[] = [
  download('./Photos/Summer 2026/lake.png'),
  download('/Photos/Summer 2026/lake.png'),
  download('root/Photos/Summer 2026/lake.png'),
  download('MyDrive/Photos/Summer 2026/lake.png'),
  download('My Drive/Photos/Summer 2026/lake.png'),
  download(String.raw`Photos\Summer 2026\lake.png`),
  download('Photos/Summer%202026/lake.png'),
  download('"Photos/Summer 2026/lake.png"'),
  download('Photos/Summer 2026/lake.png '),
  download('photos/summer 2026/lake.png'),
  download('Photos/Summer 2026/lake'),
  download('Photos/Sumer 2026/lake.png'),
  download('lake.png'),
  path.means(
    'DownloadFile',
    { file_path_or_id: 'Robin’s odds & ends/It’s done.txt' },
    { file_path_or_id: "Robin's odds & ends/It's done.txt" },
  ),

  sharedDrive.means(
    'SearchFiles',
    { query: 'escalation', shared_drive_id: 'Engineering' },
    { shared_drive_id: driveIdFor('drive Engineering') },
  ),
  sharedDrive.means(
    'GetFileTreeStructure',
    { restrict_to_shared_drive_id: 'Design' },
    { restrict_to_shared_drive_id: driveIdFor('drive Design') },
  ),
  sharedDrive.means(
    'DownloadFile',
    { file_path_or_id: 'Report.pdf', shared_drive_id: 'engineering' },
    { shared_drive_id: driveIdFor('drive Engineering') },
  ),
  sharedDrive.means(
    'DownloadFile',
    { file_path_or_id: 'Engineering/Report.pdf' },
    { file_path_or_id: 'Report.pdf', shared_drive_id: driveIdFor('drive Engineering') },
  ),

  enumeration.means('SearchFiles', { query: 'report', file_types: 'PDF' }, { file_types: 'pdf' }),
  enumeration.means('SearchFiles', { query: 'report', file_types: 'pdfs' }, { file_types: 'pdf' }),
  enumeration.means('SearchFiles', { query: 'plan', file_types: 'doc' }, { file_types: 'document' }),
  enumeration.means('SearchFiles', { query: 'budget', file_types: 'Google Sheets' }, { file_types: 'spreadsheet' }),
  enumeration.means('GetFileTreeStructure', { order_by: 'name asc' }, { order_by: 'name' }),
  enumeration.means('GetFileTreeStructure', { order_by: 'modified' }, { order_by: 'modifiedTime' }),
  enumeration.means(
    'ShareFile',
    { file_path_or_id: readme, email_addresses: ['ada.okafor@lodestar.example'], role: 'viewer' },
    { role: 'reader' },
  ),
  enumeration.means(
    'ShareFile',
    { file_path_or_id: readme, email_addresses: ['ada.okafor@lodestar.example'], role: 'edit' },
    { role: 'writer' },
  ),
  enumeration.impossible('ShareFile', { file_path_or_id: readme, email_addresses: ['ada.okafor@lodestar.example'], role: 'owner' }),

  direction.impossible('ShareFile', { file_path_or_id: 'Projects/Apollo', remove_email_addresses: ['ada.okafor@lodestar.example'] }),
  direction.impossible('ShareFile', { file_path_or_id: readme, email_addresses: ['ada.okafor@lodestar.example'], role: 'none' }),
  direction.impossible('SearchFiles', { query: 'plan', exclude_shared_drives: true }),
  direction.impossible('DownloadFileChunk', { file_path_or_id: lake, start_byte: 99_999_999 }),

  loss.says(/./, 'SearchFiles', { query: 'zebra quagga' }),
  loss.says(/Drive|operator|quer/i, 'SearchFiles', { query: "name contains 'plan' and mimeType = 'application/pdf'" }),
  loss.says(/slash|\//, 'CreateFolder', { folder_name: 'Photos/2027' }),
  loss.says(/already|same name|second/, 'CreateFolder', { folder_name: 'Photos' }),

  argumentName.means('SearchFiles', { keywords: 'plan' }, { keywords: undefined, query: 'plan' }),
  argumentName.means('DownloadFile', { path: lake }, { path: undefined, file_path_or_id: lake }),
  argumentName.means('CreateFolder', { name: 'Invoices' }, { name: undefined, folder_name: 'Invoices' }),
  argumentName.means('RenameFile', { file_path_or_id: readme, new_name: 'Start.md' }, { new_name: undefined, new_filename: 'Start.md' }),

  form.means('SearchFiles', { query: 'plan', limit: '5' }, { limit: 5 }),
  form.means(
    'ShareFile',
    { file_path_or_id: readme, email_addresses: 'ada.okafor@lodestar.example' },
    { email_addresses: ['ada.okafor@lodestar.example'] },
  ),
  form.means('GetFileTreeStructure', { include_shared_drives: 'true' }, { include_shared_drives: true }),

  toolName.means('ListFiles', {}, {}, 'GetFileTreeStructure'),
  toolName.means('file_search', { query: 'plan' }, {}, 'SearchFiles'),
  toolName.impossible('DeleteFile', { file_path_or_id: readme }),
  toolName.impossible('UnshareFile', { file_path_or_id: 'Projects/Apollo', email_addresses: ['ada.okafor@lodestar.example'] }),
]
