import { isObject, type JsonObject } from '@mcp-toolkits/core/base'
import { type Vocabulary, words, type WrittenArgument } from '@mcp-toolkits/core/tool'
import { readBytes, readChunkSize, readRole } from './values.ts'

/** Callers' names for the parameters, which lead to proposals, never to a call; a word for a direction is in only one list. */
type Names = Omit<Vocabulary, 'values'>

/** Names composed of key words, more words, and single names. */
function composed(row: string): Names {
  const [key = [], more = [], names] = row.split(' | ').map(words)
  return { words: { key, more }, ...(names && { names }) }
}

const pathWords = 'path id ids name url link or google drive full'
export const item = composed(
  `file path item document doc resource object target source url link uri id filepath fileid folder directory entity attachment ids | ${pathWords} current old original existing src from`,
)
export const renamedItem: Names = { names: 'from old_name old_filename current_name current_filename original_name', ...item }
/** A file in a tool that has no separate argument for its name. */
export const file: Names = { names: 'name file_name title', ...item }
export const movedItem = composed(
  `source src file item document doc from filepath fileid | ${pathWords} current old | path id old_path current_path`,
)
export const files: Names = composed(`files file paths path ids id urls url links link items item documents docs | ${pathWords} list of`)
export const people = composed('people person user email address collaborator member who | list from of to revoke remove')
export const generalAccess: Names = composed('access visibility general sharing audience circle level | link type scope share')
const folderWords = `folder directory dir parent ${pathWords}`
export const folder = composed(
  `folder directory dir parent location in within inside under path place container where scope | ${folderWords} search file of root base look`,
)
export const targetFolder: Names = {
  ...composed(
    `parent in into inside under within destination dest dst to target location base | ${folderWords} root new move upload save create place | folder folder_path folder_id folder_path_or_id directory path`,
  ),
  fits: isFolderOnly,
}
export const destination: Names = {
  ...composed(
    `into destination dest dst to target folder directory dir | folder directory dir ${pathWords} new move | add_parents parents new_path new_id new_parent new_parent_id new_parent_folder new_parent_folder_id move`,
  ),
  lookup: ({ source_file_path_or_id: file_path_or_id, ...rest }) =>
    file_path_or_id !== undefined && rest['new_filename'] !== undefined
      ? { tool: 'FileStorage.RenameFile', arguments: { file_path_or_id, ...rest } }
      : undefined,
}
export const newFolder: Names = {
  ...composed(
    'name title foldername dirname filename | new folder directory dir file of | folder directory dir new_directory path folder_path directory_path full_path',
  ),
  // A path is the parent's beside a name or the folder it is to be in.
  fits: (written, { name, others }) =>
    (isOneName(written) && !name.includes('path')) ||
    !Object.keys(others).some((each) => /(?<!re)name|title|path|folder|dir|parent(?!s$)|dest|^in/i.test(each)),
  implies: (written) => splitPath(written, 'folder_name', 'parent_folder_path_or_id'),
}
export const newFile: Names = {
  ...composed(
    'name title filename | new file target destination document save as of final | file save_as path file_path full_path target_path destination_path',
  ),
  fits: (written, { name, others }) =>
    isOneName(written)
      ? !name.includes('path')
      : filePath.test(String(written)) && !Object.keys(others).some((each) => /folder|dir|dest|parent/i.test(each)),
  implies: (written) => splitPath(written, 'file_name', 'destination_folder_path_or_id'),
  ifMissing: ({ source_url: url, destination_folder_path_or_id: folder }) => (filePath.test(String(folder)) ? undefined : lastSegment(url)),
}
export const newName = composed('name title filename newname | new file target to folder document destination | new rename rename_to')

/** Names for the new name after a move: a bare `name` next to the moved item is more likely the item's own name. */
export const nameAfterMove: Names = { names: 'newname new_title new_folder_name target_name destination_name rename rename_to' }

/** Names for the new name in a call without any other target. */
export const onlyNewName: Names = {
  ...newName,
  names: 'to value new rename rename_to new_path new_file_path target_path',
  // A path to another folder stays whole: it leads to a move.
  implies: (written, { others }) =>
    Object.values(others).some((other) => folderOf(other) === folderOf(written)) ? splitPath(written, 'new_filename') : undefined,
}
export const sharedDrive: Names = {
  ...composed(`drive | shared team ${pathWords} in of within restrict to`),
  fits: (written) => typeof written !== 'string' || isDrive(written),
}

/** The flag for all shared drives; the name of one drive is for the tool's other parameter. */
export const sharedDrives = (oneDrive: string): Vocabulary => ({
  ...composed('drive | shared team all include search with support supports item from in google | corpora'),
  values: { all_drives: true },
  implies: (written, { name }) =>
    name === 'include_shared_drives' && typeof written === 'string' && isDrive(written) ? { [oneDrive]: written } : undefined,
})
export const query: Names = {
  ...composed(
    'q query search term keyword word phrase text string find pattern content lookup | full file document for to searched matching | name title file_name file_title what topic contains input value filter',
  ),
  read: (written) => (typeof written === 'string' && /^[\s"]*$/.test(written) ? { likely: '*' } : undefined),
  ifMissing: (others) => (/^[^q]+$/i.test(Object.keys(others).join()) ? '*' : undefined),
}
export const limit = composed(
  'limit max maximum count n num number top take amount head | result item file row hit entry page size per of k to return search | size page_size per_page first results',
)
export const order = composed('sort order sorting ordering orderby sortby | by key field on criteria column')
export const types = composed('type kind format mime mimetype extension ext category | file document doc item content filter by of')
export const startByte: Names = {
  ...composed('start offset begin beginning from position | byte at index position offset start of in | range'),
  implies: (written) => {
    const [, first, last] = /^\s*(?:bytes[=: ]\s*)?(\d+)-(\d+)\s*$/.exec(String(written)) ?? []
    return first === undefined ? undefined : { start_byte: Number(first), chunk_size: Number(last) - Number(first) + 1 }
  },
  ifMissing: () => 0,
  read: readBytes,
}
export const chunkSize: Names = {
  ...composed('size length bytes | chunk byte max of buffer block part per | limit number_of_bytes num_bytes byte_count'),
  read: readChunkSize,
}
export const emailAddresses: Names = {
  ...composed(
    'email mail address addresses user people person recipient collaborator grantee grantees member invitee invitees with to contact | email address addresses list share of shared | permissions grants shares acl',
  ),
  fits: (written) => readPeople(written) !== undefined || [written].flat().every((each) => typeof each === 'string' && each.includes('@')),
  implies: readPeople,
}
export const role = composed('role permission access privilege right level | type role level share user permission access of')
const silencing = words('no skip suppress disable dont do_not dont_send do_not_send without')
const mails = words('email emails mail notify notification notifications notification_email')
export const notification: Names = {
  ...composed('notify notification email mail invite invitation | send email user people person by with recipient via'),
  opposites: ['silent', 'quiet', ...silencing.flatMap((verb) => mails.map((mail) => `${verb}_${mail}`))],
}
export const message = composed('message note text body comment msg | email mail notification custom personal text body content share')
export const sourceUrl: Names = {
  ...composed('url uri link href address src source | source file download public web remote content from of upload | from'),
  // A path on the machine is not a URL.
  fits: (written) => typeof written !== 'string' || !/^\s*(?:[/~.\\]|[a-z]:[\\/]|file:)/i.test(written),
}
export const mediaType = composed('type mime mimetype format | content media file mime of')

/** True for one drive's name, as opposed to a word for all or for a flag. */
function isDrive(written: string): boolean {
  return !/^(?:all|any|every|each|both|none|true|false)\b|^(?:\*|yes|no|on|off|[01])$/i.test(written.trim())
}

/** True for a `path` that is only a folder, and does not end in the item: its name or a file. A URL is the content's source. */
function isFolderOnly(written: unknown, { name, others }: WrittenArgument): boolean {
  if (name !== 'path' || typeof written !== 'string') return true
  const last = written.split(/[/\\]/).findLast((each) => each !== '') ?? ''
  return !/:\/\/|\.\w{1,8}$/.test(written) && !Object.values(others).includes(last)
}

const filePath = /^(?!.*:\/\/).*[^/\\]\.\w{1,8}$/s

/** The last name of a path and the folder before it, as arguments; undefined for a name alone. */
function splitPath(written: unknown, name: string, folder?: string): JsonObject | undefined {
  if (typeof written !== 'string' || written.includes('://')) return undefined
  const names = written.split(/[/\\]+/).filter((each) => each !== '')
  const [parents, last] = [names.slice(0, -1).join('/'), names.at(-1)]
  if (last === undefined || last === written) return undefined
  return { [name]: last, ...(folder !== undefined && parents !== '' && { [folder]: parents }) }
}

const folderOf = (path: unknown) => /^.*[/\\]/s.exec(String(path))?.[0]

function lastSegment(url: unknown): string | undefined {
  const text = String(url).trim().replaceAll('%20', ' ')
  return /^https?:\/\/[^/?#]+\/(?:[^?#]*\/)?([^/?#%]+\.\w{1,8})(?:[?#]|$)/i.exec(text)?.[1]
}

const addressKeys = words('email emailaddress email_address address mail value')
const roleKeys = words('role permission access')
const otherKeys = words('type .tag name displayname display_name')

/** Records of people with an address each, and the role if all have the same. */
export function readPeople(written: unknown): JsonObject | undefined {
  const people = [written].flat().map((each) => (isObject(each) ? readPerson(each) : undefined))
  const [role, ...others] = new Set(people.map((person) => person?.role))
  if (people.length === 0 || people.includes(undefined) || others.length > 0) return undefined
  const reading = role === undefined ? { likely: undefined } : readRole(role)
  if (!reading || !('likely' in reading)) return undefined
  return { email_addresses: people.map((person) => person?.address), ...(role !== undefined && { role: reading.likely }) }
}

function readPerson(record: JsonObject): { readonly address: string; readonly role: unknown } | undefined {
  const entries = Object.entries(record).map(([key, value]) => [key.toLowerCase(), value] as const)
  const find = (keys: readonly string[]) => entries.filter(([key]) => keys.includes(key)).map(([, value]) => value)
  const [[address, ...more], [role, ...roles]] = [find(addressKeys), find(roleKeys)]
  const isKnown = entries.every(([key]) => [...addressKeys, ...roleKeys, ...otherKeys].includes(key))
  const isPerson = [...find(['type'])].every((type) => type === 'user' || type === 'group')
  if (!isKnown || !isPerson || more.length > 0 || roles.length > 0) return undefined
  return typeof address === 'string' && address.includes('@') ? { address, role } : undefined
}

/** True for a name, as opposed to a path, which also says where the item is. */
const isOneName = (written: unknown) => !/[/\\]/.test(String(written))

export const changeDays = 'after since before modified_after modified_since modified_before updated_after updated_since updated_before'
type Idle = Readonly<Record<string, readonly unknown[]>>
const ofAnyValue = (names: string) => Object.fromEntries(words(names).map((name) => [name, []]))

/** Arguments that change nothing, with the values for which that is true: parameters of Google's API, and wishes, which get an answer. */
export function idleIn(tool: string, effect: string): Idle {
  const common = ofAnyValue('supports_all_drives supports_team_drives create_parents color folder_color folder_color_rgb')
  const ofTool: Readonly<Record<string, Idle>> = {
    SearchFiles: ofAnyValue(`${changeDays} exclude exclude_patterns exclude_content_snippets where_to_look_for_query search_in match_type`),
    DownloadFile: ofAnyValue('head tail lines num_lines max_lines'),
    GetFileTreeStructure: { recursive: [true] },
    CreateFolder: { mime_type: ['application/vnd.google-apps.folder'], recursive: [] },
    MoveFile: { remove_parents: [] },
    ShareFile: { type: ['user', 'group'], share_type: ['user', 'group'] },
  }
  const inReads = { fields: [], alt: ['media', 'json'], corpora: ['user', 'drive'], spaces: ['drive'], trashed: [false] }
  return { ...common, ...(effect === 'read' && inReads), ...ofTool[tool] }
}
