// Mistaken calls to file-storage: values, directions, forms, and names of arguments and tools.
import { driveIdFor } from '../../packages/drive-emulator/src/ids.ts'
import { casesOf, forms, type Arguments, type MistakenCall } from './cases.ts'
import { sourceHost } from './worlds.ts'

const enumeration = casesOf('enumeration')
const direction = casesOf('direction')
const argumentName = casesOf('argument name')
const form = casesOf('form')
const toolName = casesOf('tool name')

const lake = 'Photos/Summer 2026/lake.png'
const readme = 'Projects/Gemini/Readme.md'
const ada = 'ada.okafor@lodestar.example'
const sharing = { file_path_or_id: readme, email_addresses: [ada] }

const fileTypes = {
  PDF: 'pdf',
  pdfs: 'pdf',
  doc: 'document',
  'Google Sheets': 'spreadsheet',
  Folder: 'folder',
  folders: 'folder',
  sheet: 'spreadsheet',
}
const moreTypes = {
  presentation: 'slides',
  images: 'image',
  photo: 'image',
  'application/pdf': 'pdf',
  videos: 'video',
  gdoc: 'document',
  SPREADSHEETS: 'spreadsheet',
}
const orders = {
  'name asc': 'name',
  NAME: 'name',
  modified: 'modifiedTime',
  'Name desc': 'name desc',
  'name descending': 'name desc',
  name_desc: 'name desc',
}
const moreOrders = {
  modified_time: 'modifiedTime',
  'modifiedTime DESC': 'modifiedTime desc',
  created: 'createdTime',
  'createdTime asc': 'createdTime',
}
const roles = {
  viewer: 'reader',
  Viewer: 'reader',
  edit: 'writer',
  editor: 'writer',
  'can edit': 'writer',
  comment: 'commenter',
  commentor: 'commenter',
  view: 'reader',
}
const upload = (name: string, mime_type: string) => ({ file_name: name, source_url: `http://${sourceHost}/${name}`, mime_type })
const typed = (name: string, written: string, meant: string | undefined) =>
  enumeration.means('UploadFile', upload(name, written), { mime_type: meant })

const enumerations: readonly MistakenCall[] = [
  ...forms({ ...fileTypes, ...moreTypes }, (written, file_types) =>
    enumeration.means('SearchFiles', { query: 'plan', file_types: written }, { file_types }),
  ),
  enumeration.means('SearchFiles', { query: 'plan', file_types: ['PDF', 'Images'] }, { file_types: ['pdf', 'image'] }),
  enumeration.mayMean('SearchFiles', { query: 'plan', file_types: 'pdf, image' }, { file_types: ['pdf', 'image'] }),
  enumeration.mayMean('SearchFiles', { query: 'plan', file_types: 'all' }, { file_types: undefined }),
  ...['zip', 'text', 'csv'].map((file_types) => enumeration.impossible('SearchFiles', { query: 'plan', file_types })),
  ...forms({ ...orders, ...moreOrders }, (written, order_by) =>
    enumeration.means('GetFileTreeStructure', { order_by: written }, { order_by }),
  ),
  enumeration.mayMean('GetFileTreeStructure', { order_by: 'newest' }, { order_by: 'modifiedTime desc' }),
  enumeration.mayMean('GetFileTreeStructure', { order_by: '-name' }, { order_by: 'name desc' }),
  ...forms(roles, (written, role) => enumeration.means('ShareFile', { ...sharing, role: written }, { role })),
  ...['owner', 'admin', 'organizer'].map((role) => enumeration.impossible('ShareFile', { ...sharing, role })),
  typed('a.txt', 'txt', 'text/plain'),
  typed('a.txt', 'TEXT/PLAIN', 'text/plain'),
  typed('a.csv', 'csv', 'text/csv'),
  typed('a.pdf', 'pdf', 'application/pdf'),
  typed('a.jpg', 'image/jpg', 'image/jpeg'),
  typed('a.md', 'markdown', 'text/markdown'),
  typed('a.zip', 'application/zip', undefined),
  typed('a.webp', 'image/webp', undefined),
  typed('a.bin', 'application/octet-stream', undefined),
]

const declined = (args: Arguments, meant: Arguments) => direction.mayMean('ShareFile', { ...sharing, ...args }, meant)

const directions: readonly MistakenCall[] = [
  direction.impossible('ShareFile', { file_path_or_id: 'Projects/Apollo', remove_email_addresses: [ada] }),
  direction.impossible('ShareFile', { file_path_or_id: 'Projects/Apollo', unshare_email_addresses: [ada] }),
  direction.impossible('ShareFile', { file_path_or_id: 'Projects/Apollo', email_addresses_to_remove: [ada] }),
  direction.impossible('ShareFile', { ...sharing, except_email_addresses: ['priya.nair@lodestar.example'] }),
  ...['none', 'no access', 'non-reader', 'remove', 'not writer', 'no reader', 'un-share'].map((role) =>
    direction.impossible('ShareFile', { file_path_or_id: 'Projects/Apollo', email_addresses: [ada], role }),
  ),
  direction.impossible('ShareFile', {
    file_path_or_id: readme,
    email_addresses: ['someone@nowhere.invalid'],
    send_notification_email: false,
  }),
  declined({ no_notification_email: true }, { no_notification_email: undefined, send_notification_email: false }),
  declined({ disable_notification_email: true }, { disable_notification_email: undefined, send_notification_email: false }),
  declined({ suppress_notification: true }, { suppress_notification: undefined, send_notification_email: false }),
  declined({ dont_send_notification_email: true }, { dont_send_notification_email: undefined, send_notification_email: false }),
  declined({ skip_notification_email: true }, { skip_notification_email: undefined, send_notification_email: false }),
  direction.mayMean(
    'SearchFiles',
    { query: 'plan', exclude_shared_drives: true },
    { exclude_shared_drives: undefined, include_shared_drives: false },
  ),
  direction.impossible('SearchFiles', { query: 'plan', exclude_file_types: 'pdf' }),
  direction.impossible('SearchFiles', { query: 'plan', file_types: 'not pdf' }),
  direction.impossible('SearchFiles', { query: 'plan', file_types: 'non-folder' }),
  direction.impossible('SearchFiles', { query: 'plan', exclude_folder_path_or_id: 'Projects' }),
  direction.impossible('SearchFiles', { query: 'plan', not_in_folder: 'Projects' }),
  direction.impossible('SearchFiles', { query: 'plan', include_trashed: true }),
  direction.impossible('GetFileTreeStructure', { exclude_shared_drive_id: driveIdFor('drive Design') }),
  direction.mayMean(
    'GetFileTreeStructure',
    { exclude_shared_drives: false },
    { exclude_shared_drives: undefined, include_shared_drives: true },
  ),
  direction.impossible('GetFileTreeStructure', { min_limit: 5 }),
  direction.impossible('DownloadFileChunk', { file_path_or_id: lake, start_byte: 99_999_999 }),
  direction.impossible('DownloadFileChunk', { file_path_or_id: lake, start_byte: -20 }),
  direction.impossible('DownloadFileChunk', { file_path_or_id: lake, end_byte: 20 }),
  direction.impossible('MoveFile', { source_file_path_or_id: readme, destination_folder_path_or_id: 'Photos', copy: true }),
  direction.impossible('MoveFile', { destination_file_path_or_id: readme, source_folder_path_or_id: 'Photos' }),
  direction.impossible('RenameFile', { file_path_or_id: readme, old_filename: 'Start.md' }),
]

const renamedAll = (
  tool: string,
  { rest, to, value }: { readonly rest: Arguments; readonly to: string; readonly value: unknown },
  names: readonly string[],
) => names.map((from) => argumentName.means(tool, { ...rest, [from]: value }, { [from]: undefined, [to]: value }))

const names: readonly MistakenCall[] = [
  ...renamedAll('SearchFiles', { rest: {}, to: 'query', value: 'plan' }, ['keywords', 'q', 'search', 'search_query', 'text']),
  ...renamedAll('SearchFiles', { rest: { query: 'prices' }, to: 'folder_path_or_id', value: 'Photos' }, [
    'folder',
    'folder_path',
    'folder_id',
    'parent_folder',
  ]),
  ...renamedAll('SearchFiles', { rest: { query: 'plan' }, to: 'limit', value: 3 }, ['max_results', 'page_size', 'count']),
  ...renamedAll('SearchFiles', { rest: { query: 'plan' }, to: 'file_types', value: 'folder' }, ['type', 'file_type', 'fileTypes']),
  ...renamedAll('DownloadFile', { rest: {}, to: 'file_path_or_id', value: lake }, ['path', 'file', 'file_path', 'file_id', 'id']),
  ...renamedAll('DownloadFileChunk', { rest: { file_path_or_id: lake }, to: 'start_byte', value: 10 }, ['offset', 'start']),
  ...renamedAll('DownloadFileChunk', { rest: { file_path_or_id: lake, start_byte: 0 }, to: 'chunk_size', value: 10 }, ['length', 'size']),
  ...renamedAll('CreateFolder', { rest: {}, to: 'folder_name', value: 'Invoices' }, ['name', 'title', 'folder']),
  ...renamedAll('CreateFolder', { rest: { folder_name: '2027' }, to: 'parent_folder_path_or_id', value: 'Photos' }, [
    'parent',
    'parent_folder',
    'parent_id',
    'parent_path',
  ]),
  ...renamedAll('RenameFile', { rest: { file_path_or_id: readme }, to: 'new_filename', value: 'Start.md' }, [
    'new_name',
    'name',
    'newFilename',
  ]),
  ...renamedAll('ShareFile', { rest: { file_path_or_id: readme }, to: 'email_addresses', value: [ada] }, [
    'emails',
    'recipients',
    'users',
    'email',
  ]),
  ...renamedAll('ShareFile', { rest: sharing, to: 'role', value: 'writer' }, ['permission', 'access_level']),
  ...renamedAll('ShareFile', { rest: sharing, to: 'send_notification_email', value: false }, ['notify', 'send_email', 'send_notification']),
  argumentName.means(
    'MoveFile',
    { source: readme, destination: 'Photos' },
    { source: undefined, destination: undefined, source_file_path_or_id: readme, destination_folder_path_or_id: 'Photos' },
  ),
  argumentName.means(
    'MoveFile',
    { file: readme, to_folder: 'Photos' },
    { file: undefined, to_folder: undefined, source_file_path_or_id: readme, destination_folder_path_or_id: 'Photos' },
  ),
  argumentName.means(
    'UploadFile',
    { name: 'a.txt', url: `http://${sourceHost}/a.txt` },
    { name: undefined, url: undefined, file_name: 'a.txt', source_url: `http://${sourceHost}/a.txt` },
  ),
  ...renamedAll(
    'UploadFile',
    { rest: { file_name: 'a.txt', source_url: `http://${sourceHost}/a.txt` }, to: 'destination_folder_path_or_id', value: 'Photos' },
    ['folder', 'destination'],
  ),
  argumentName.mayMean(
    'CreateFolder',
    { path: 'Photos/2027' },
    { path: undefined, folder_name: '2027', parent_folder_path_or_id: 'Photos' },
  ),
]

const shapes: readonly MistakenCall[] = [
  form.means('SearchFiles', { query: 'plan', limit: '5' }, { limit: 5 }),
  form.means('SearchFiles', { query: ['plan'] }, { query: 'plan' }),
  form.means('SearchFiles', { query: 'plan', limit: 5000 }, { limit: 1000 }),
  form.means('SearchFiles', { query: 'plan', file_types: '["pdf","image"]' }, { file_types: ['pdf', 'image'] }),
  form.means('ShareFile', { file_path_or_id: readme, email_addresses: ada }, { email_addresses: [ada] }),
  form.means('ShareFile', { file_path_or_id: readme, email_addresses: [` ${ada.toUpperCase()} `] }, { email_addresses: [ada] }),
  form.means(
    'ShareFile',
    { file_path_or_id: readme, email_addresses: `${ada}, priya.nair@lodestar.example` },
    { email_addresses: [ada, 'priya.nair@lodestar.example'] },
  ),
  form.mayMean('ShareFile', { file_path_or_id: readme, email_addresses: [`Ada Okafor <${ada}>`] }, { email_addresses: [ada] }),
  form.impossible('ShareFile', { file_path_or_id: readme, email_addresses: ['Ada Okafor'] }),
  form.means('ShareFile', { ...sharing, send_notification_email: 'false' }, { send_notification_email: false }),
  form.mayMean('ShareFile', { ...sharing, send_notification_email: 'no' }, { send_notification_email: false }),
  form.means('GetFileTreeStructure', { include_shared_drives: 'true' }, { include_shared_drives: true }),
  form.means('GetFileTreeStructure', { limit: '10' }, { limit: 10 }),
  form.means('DownloadFile', { file_path_or_id: [lake] }, { file_path_or_id: lake }),
  form.means('DownloadFileChunk', { file_path_or_id: lake, start_byte: '0' }, { start_byte: 0 }),
  form.means('DownloadFileChunk', { file_path_or_id: lake, start_byte: 0, chunk_size: 10_485_760 }, { chunk_size: 5_242_880 }),
  form.mayMean('CreateFolder', { folder_name: 2027, parent_folder_path_or_id: 'Photos' }, { folder_name: '2027' }),
]

const called = (tool: string, meant: string, args: Arguments = {}) => toolName.means(tool, args, {}, meant)

const tools: readonly MistakenCall[] = [
  ...['file_search', 'Search', 'FindFiles', 'file_storage_search_files', 'searchFiles'].map((each) =>
    called(each, 'SearchFiles', { query: 'plan' }),
  ),
  ...['ListFiles', 'GetTree', 'get_file_tree', 'ListFolderTree'].map((each) => called(each, 'GetFileTreeStructure')),
  ...['Download', 'FetchFile', 'GetFileContent'].map((each) => called(each, 'DownloadFile', { file_path_or_id: lake })),
  ...['MakeFolder', 'NewFolder', 'CreateDirectory', 'mkdir'].map((each) => called(each, 'CreateFolder', { folder_name: 'Invoices' })),
  ...['Rename', 'RenameItem', 'rename_file'].map((each) =>
    called(each, 'RenameFile', { file_path_or_id: readme, new_filename: 'Start.md' }),
  ),
  ...['Move', 'MoveFolder'].map((each) =>
    called(each, 'MoveFile', { source_file_path_or_id: readme, destination_folder_path_or_id: 'Photos' }),
  ),
  ...['Share', 'ShareFolder', 'GrantAccess'].map((each) => called(each, 'ShareFile', sharing)),
  called('UploadFromUrl', 'UploadFile', { file_name: 'a.txt', source_url: `http://${sourceHost}/a.txt` }),
  called('GetProfile', 'WhoAmI'),
  ...['DeleteFile', 'TrashFile', 'RemoveFile'].map((each) => toolName.impossible(each, { file_path_or_id: readme })),
  ...['UnshareFile', 'RevokeAccess', 'StopSharing'].map((each) =>
    toolName.impossible(each, { file_path_or_id: 'Projects/Apollo', email_addresses: [ada] }),
  ),
  toolName.impossible('CopyFile', { source_file_path_or_id: readme, destination_folder_path_or_id: 'Photos' }),
  toolName.impossible('DeleteFolder', { folder_name: 'Invoices' }),
]

/** Calls whose values or names are mistaken. */
export const fileStorageValues: readonly MistakenCall[] = [...enumerations, ...directions, ...names, ...shapes, ...tools]
