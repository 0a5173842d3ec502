// Mistaken calls to file-storage: names of arguments.
import { casesOf, type Arguments, type MistakenCall } from './cases.ts'
import { sourceHost } from './worlds.ts'

const argumentName = casesOf('argument name')

const lake = 'Photos/Summer 2026/lake.png'
const readme = 'Projects/Gemini/Readme.md'
const ada = 'ada.okafor@lodestar.example'
const sharing = { file_path_or_id: readme, email_addresses: [ada] }
const url = `http://${sourceHost}/a.txt`
const uploaded = { file_name: 'a.txt', source_url: url }
const moved = { source_file_path_or_id: readme, destination_folder_path_or_id: 'Photos' }
const chunk = { file_path_or_id: lake, start_byte: 0 }

/** One parameter of a tool, given under other names. */
const renamed = (tool: string, given: Arguments, [to, value]: readonly [string, unknown], names: string) =>
  names.split(' ').map((from) => argumentName.means(tool, { ...given, [from]: value }, { [from]: undefined, [to]: value }))

/** Several parameters, each given under another name. */
const allRenamed = (tool: string, given: Arguments, meant: Arguments) =>
  argumentName.means(tool, given, { ...Object.fromEntries(Object.keys(given).map((name) => [name, undefined])), ...meant })

const single: readonly MistakenCall[] = [
  ...renamed('SearchFiles', {}, ['query', 'plan'], 'keywords q search search_query text searchTerm terms phrase pattern name find'),
  ...renamed(
    'SearchFiles',
    { query: 'prices' },
    ['folder_path_or_id', 'Photos'],
    'folder folder_path folderId directory in_folder path location',
  ),
  ...renamed('SearchFiles', { query: 'prices' }, ['folder_path_or_id', 'Photos'], 'parent_folder in search_in dir folder_name'),
  ...renamed(
    'SearchFiles',
    { query: 'plan' },
    ['limit', 3],
    'max_results page_size count top_k num_results max n pageSize number_of_results',
  ),
  ...renamed('SearchFiles', { query: 'plan' }, ['file_types', 'folder'], 'type file_type fileTypes mimeType kind format item_type'),
  ...renamed(
    'DownloadFile',
    {},
    ['file_path_or_id', lake],
    'path file file_path fileId id filename url document_id source_path uri item name',
  ),
  ...renamed('DownloadFileChunk', { file_path_or_id: lake }, ['start_byte', 10], 'offset start begin from byte_offset startByte position'),
  ...renamed('DownloadFileChunk', chunk, ['chunk_size', 10], 'length size bytes max_bytes chunkSize num_bytes buffer_size'),
  ...renamed('CreateFolder', {}, ['folder_name', 'Invoices'], 'name title folder directory_name folderName new_folder_name dirname'),
  ...renamed(
    'CreateFolder',
    { folder_name: '2027' },
    ['parent_folder_path_or_id', 'Photos'],
    'parent parent_id in location path destination folder',
  ),
  ...renamed(
    'RenameFile',
    { file_path_or_id: readme },
    ['new_filename', 'Start.md'],
    'new_name name newFilename to title rename_to new_title',
  ),
  ...renamed(
    'RenameFile',
    { new_filename: 'Start.md' },
    ['file_path_or_id', readme],
    'path file_id old_path current_path source from old_name',
  ),
  ...renamed(
    'MoveFile',
    { destination_folder_path_or_id: 'Photos' },
    ['source_file_path_or_id', readme],
    'source from file file_id path src item',
  ),
  ...renamed(
    'MoveFile',
    { source_file_path_or_id: readme },
    ['destination_folder_path_or_id', 'Photos'],
    'to dest folder target new_parent into',
  ),
  ...renamed('MoveFile', moved, ['new_filename', 'Start.md'], 'new_name name rename_to newName'),
  ...renamed(
    'ShareFile',
    { file_path_or_id: readme },
    ['email_addresses', [ada]],
    'emails recipients users email with people collaborators to',
  ),
  ...renamed('ShareFile', sharing, ['role', 'writer'], 'permission access_level access permissions permission_level'),
  ...renamed(
    'ShareFile',
    sharing,
    ['send_notification_email', false],
    'notify send_email send_notification sendNotificationEmail notify_users',
  ),
  ...renamed('ShareFile', sharing, ['message', 'Have a look.'], 'text note body emailMessage comment'),
  ...renamed('UploadFile', { source_url: url }, ['file_name', 'a.txt'], 'name filename title save_as target_name'),
  ...renamed('UploadFile', { file_name: 'a.txt' }, ['source_url', url], 'url link uri download_url file_url source'),
  ...renamed(
    'UploadFile',
    uploaded,
    ['destination_folder_path_or_id', 'Photos'],
    'folder destination parent_folder folder_id to target_folder path',
  ),
  ...renamed('UploadFile', uploaded, ['mime_type', 'text/plain'], 'content_type contentType type mime'),
  ...renamed('GetFileTreeStructure', {}, ['limit', 5], 'max count max_results'),
  ...renamed('GetFileTreeStructure', {}, ['order_by', 'name'], 'sort sort_by orderBy'),
  ...renamed('GetFileTreeStructure', {}, ['include_shared_drives', true], 'shared_drives include_all_drives include_team_drives'),
]

const several: readonly MistakenCall[] = [
  allRenamed('MoveFile', { source: readme, destination: 'Photos' }, moved),
  allRenamed('MoveFile', { file: readme, to_folder: 'Photos' }, moved),
  allRenamed('MoveFile', { from: readme, to: 'Photos' }, moved),
  allRenamed('MoveFile', { fileId: readme, folderId: 'Photos' }, moved),
  allRenamed('MoveFile', { source_path: readme, destination_path: 'Photos' }, moved),
  allRenamed('UploadFile', { name: 'a.txt', url }, uploaded),
  allRenamed('UploadFile', { filename: 'a.txt', link: url, parent_id: 'Photos' }, { ...uploaded, destination_folder_path_or_id: 'Photos' }),
  allRenamed('RenameFile', { old_name: readme, new_name: 'Start.md' }, { file_path_or_id: readme, new_filename: 'Start.md' }),
  allRenamed('RenameFile', { from: readme, to: 'Start.md' }, { file_path_or_id: readme, new_filename: 'Start.md' }),
  allRenamed('ShareFile', { path: readme, email: ada, permission: 'writer' }, { ...sharing, role: 'writer' }),
  allRenamed('CreateFolder', { name: '2027', parent: 'Photos' }, { folder_name: '2027', parent_folder_path_or_id: 'Photos' }),
  allRenamed('CreateFolder', { folder: '2027', path: 'Photos' }, { folder_name: '2027', parent_folder_path_or_id: 'Photos' }),
  allRenamed('SearchFiles', { q: 'prices', folder: 'Photos', pageSize: 5 }, { query: 'prices', folder_path_or_id: 'Photos', limit: 5 }),
  allRenamed('DownloadFileChunk', { path: lake, offset: 0, length: 10 }, { ...chunk, chunk_size: 10 }),
  allRenamed('SearchFiles', { arguments: { query: 'plan' } }, { query: 'plan' }),
  argumentName.mayMean(
    'CreateFolder',
    { path: 'Photos/2027' },
    { path: undefined, folder_name: '2027', parent_folder_path_or_id: 'Photos' },
  ),
  ...[{ name: '2027' }, { folder_name: '2027' }].map((named) =>
    argumentName.unclear('CreateFolder', { ...named, path: 'Photos/2027' }, 'parent_folder_path_or_id'),
  ),
  allRenamed('UploadFile', { name: 'a.txt', url, path: 'Photos' }, { ...uploaded, destination_folder_path_or_id: 'Photos' }),
  argumentName.mayMean('SearchFiles', { query: 'plan', name: 'plan' }, { name: undefined }),
  argumentName.impossible('UploadFile', { file_name: 'a.txt', content: 'Hello' }),
  argumentName.impossible('ShareFile', { file_path_or_id: readme, anyone: true }),
  argumentName.impossible('SearchFiles', { query: 'plan', modified_after: '2026-01-01' }),
  argumentName.impossible('GetFileTreeStructure', { folder: 'Photos' }),
]

/** Calls whose arguments have other names. */
export const fileStorageNames: readonly MistakenCall[] = [...single, ...several]
