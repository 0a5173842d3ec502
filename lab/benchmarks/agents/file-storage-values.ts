// Mistaken calls to file-storage: values, directions, forms, and names of tools.
import { driveIdFor } from '../../../packages/emulators/drive/src/files/ids.ts'
import { casesOf, forms, type Arguments, type MistakenCall } from './cases.ts'
import { sourceHost } from './worlds.ts'

const enumeration = casesOf('enumeration')
const direction = casesOf('direction')
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
  'PDF files': 'pdf',
  'vnd.google-apps.folder': 'folder',
  'image files': 'image',
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
  'last modified': 'modifiedTime',
  'modifiedDate desc': 'modifiedTime desc',
  'by name': 'name',
  'desc name': 'name desc',
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
  'edit access': 'writer',
  'view-only': 'reader',
  'read/write': 'writer',
  'comment access': 'commenter',
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
  ...['none', 'no access', 'non-reader', 'remove', 'not writer', 'no reader', 'un-share', 'cannot edit', 'no edit access'].map((role) =>
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

const sorted = (order_by: string, ...orders: string[]) => enumeration.unclear('GetFileTreeStructure', { order_by }, ...orders)

const shapes: readonly MistakenCall[] = [
  sorted('newest desc', 'modifiedTime desc'),
  sorted('oldest desc', 'modifiedTime desc', '"modifiedTime"'),
  sorted('a-z desc', 'name desc', '"name"'),
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
  ...['ListFiles', 'GetTree', 'get_file_tree', 'ListFolderTree', 'list_directory', 'ls', 'GetFolderStructure'].map((each) =>
    called(each, 'GetFileTreeStructure'),
  ),
  ...['Download', 'FetchFile', 'GetFileContent', 'read_file', 'download_document', 'get_file_contents'].map((each) =>
    called(each, 'DownloadFile', { file_path_or_id: lake }),
  ),
  ...['MakeFolder', 'NewFolder', 'CreateDirectory', 'mkdir'].map((each) => called(each, 'CreateFolder', { folder_name: 'Invoices' })),
  ...['Rename', 'RenameItem', 'rename_file'].map((each) =>
    called(each, 'RenameFile', { file_path_or_id: readme, new_filename: 'Start.md' }),
  ),
  ...['Move', 'MoveFolder'].map((each) =>
    called(each, 'MoveFile', { source_file_path_or_id: readme, destination_folder_path_or_id: 'Photos' }),
  ),
  ...['Share', 'ShareFolder', 'GrantAccess', 'AddPermission', 'share_document', 'InviteUser'].map((each) =>
    called(each, 'ShareFile', sharing),
  ),
  called('UploadFromUrl', 'UploadFile', { file_name: 'a.txt', source_url: `http://${sourceHost}/a.txt` }),
  called('GetProfile', 'WhoAmI'),
  ...['DeleteFile', 'TrashFile', 'RemoveFile'].map((each) => toolName.impossible(each, { file_path_or_id: readme })),
  ...['UnshareFile', 'RevokeAccess', 'StopSharing'].map((each) =>
    toolName.impossible(each, { file_path_or_id: 'Projects/Apollo', email_addresses: [ada] }),
  ),
  toolName.impossible('CopyFile', { source_file_path_or_id: readme, destination_folder_path_or_id: 'Photos' }),
  toolName.impossible('DeleteFolder', { folder_name: 'Invoices' }),
  ...['get_file_info', 'GetFileMetadata', 'get_file_name', 'stat'].map((each) =>
    toolName.unclear(each, { path: lake }, 'GetFileTreeStructure', 'SearchFiles'),
  ),
  ...['update_folder', 'EditFile', 'change_folder'].map((each) => toolName.unclear(each, { path: readme }, 'RenameFile', 'MoveFile')),
]

/** Calls whose values or names are mistaken. */
export const fileStorageValues: readonly MistakenCall[] = [...enumerations, ...directions, ...shapes, ...tools]
