import { type NameWords, type Vocabulary, words, type WrittenArgument } from '@mcp-toolkits/core/tool'

/**
 * Callers' names for the parameters. These names lead to corrections and are never carried out; a word for a direction is in one list only.
 */
type Names = Pick<Vocabulary, 'names' | 'words' | 'opposites' | 'fits'>

const pathWords = 'path id name url link or google drive full'

/** A file or folder. */
export const item: Names = {
  words: composed(
    'file path item document doc resource object target source url link uri id filepath fileid folder directory entity attachment',
    `${pathWords} current old original existing src from`,
  ),
}

/** Names for the item that gets another name. */
export const renamedItem: Names = { names: words('from old_name old_filename current_name current_filename original_name'), ...item }

/** A file whose name is no other argument of the tool. */
export const file: Names = { names: words('name filename file_name title'), ...item }

export const movedItem: Names = {
  names: words('from path id old_path current_path'),
  words: composed('source src file item document doc from filepath fileid', `${pathWords} current old`),
}

const folderWords = `folder directory dir parent ${pathWords}`

export const folder: Names = {
  words: composed(
    'folder directory dir parent location in within inside under path place container where scope',
    `${folderWords} search file of root base look`,
  ),
}

/** The folder that something is put into. */
export const targetFolder: Names = {
  names: words('folder folder_path folder_id folder_path_or_id directory path'),
  fits: isFolderOnly,
  words: composed(
    'parent in into inside under within destination dest dst to target location base',
    `${folderWords} root new move upload save create place`,
  ),
}

export const destination: Names = {
  names: words(
    'new_path new_folder new_folder_path new_directory new_id new_parent new_parent_id new_parent_folder new_parent_folder_id move',
  ),
  words: composed('into destination dest dst to target folder directory dir', `folder directory dir ${pathWords} new move`),
}

export const newFolder: Names = {
  names: words('folder new_folder directory dir new_directory'),
  fits: isOneName,
  words: composed('name title foldername dirname filename', 'new folder directory dir file of'),
}

export const newFile: Names = {
  names: words('file save_as'),
  fits: isOneName,
  words: composed('name title filename', 'new file target destination document save as of final'),
}

/** A new name of something that exists. */
export const newName: Names = {
  names: words('new filename file_name rename rename_to'),
  words: composed('name title filename newname', 'new file target to updated final item folder document destination rename of'),
}

/** A bare `name` beside the moved item is more likely that of the item itself. */
export const nameAfterMove: Names = {
  names: words(
    'new_name newname new_title new_file_name new_folder_name new_item_name updated_name final_name target_name destination_name rename rename_to',
  ),
}

/** The same for a call without another target. */
export const onlyNewName: Names = { ...newName, names: words('to value new filename file_name rename rename_to') }

export const sharedDrive: Names = {
  words: composed('drive', `shared team ${pathWords} in of within restrict to`),
  fits: (written) => typeof written !== 'string' || !/^(?:all|any|every|each|both|none|\*|true|false)\b|^\*$/i.test(written.trim()),
}

export const sharedDrives: Names = {
  words: composed('drive', 'shared team all include search with support supports item from in google'),
}

export const domain: Names = {
  words: composed('domain organization org organisation company workspace', 'include document doc file with search shared all from'),
}

export const query: Names = {
  names: words('name title filename file_name file_title what topic contains input value filter'),
  words: composed(
    'q query search term keyword word phrase text string find pattern content lookup',
    'full file document for to searched matching',
  ),
}

export const limit: Names = {
  names: words('size page_size per_page first results number_of_results result_count page_limit'),
  words: composed(
    'limit max maximum count n num number top take amount',
    'result item file row hit entry page size per of k to return search',
  ),
}

export const order: Names = {
  words: composed('sort order sorting ordering orderby sortby', 'by key field on criteria column'),
}

export const types: Names = {
  names: words('extension ext file_extension category mimetype filetype'),
  words: composed('type kind format mime', 'file mime document doc item content filter by of'),
}

export const startByte: Names = {
  words: composed('start offset begin beginning from position', 'byte at index position offset start of in'),
}

export const chunkSize: Names = {
  names: words('limit part_size number_of_bytes num_bytes byte_count'),
  words: composed('size length bytes', 'chunk byte max of buffer block part per'),
}

export const emailAddresses: Names = {
  words: composed(
    'email mail address addresses user people person recipient collaborator grantee grantees member invitee invitees with to contact',
    'email address addresses list share of shared',
  ),
  fits: (written) => [written].flat().every((each) => typeof each === 'string' && each.includes('@')),
}

export const role: Names = {
  words: composed('role permission access privilege right level', 'type role level share user permission access of'),
}

export const notification: Names = {
  words: composed('notify notification email mail invite invitation', 'send email user people person by with recipient via'),
  opposites: words(
    [
      'silent quiet no_email no_emails no_mail no_notification no_notifications no_notification_email no_notify skip_email skip_emails skip_notification skip_notifications',
      'skip_notification_email suppress_email suppress_emails suppress_notification suppress_notifications suppress_notification_email disable_email disable_emails',
      'disable_notification disable_notifications disable_notification_email dont_notify dont_email dont_send_email dont_send_notification dont_send_notification_email',
      'do_not_notify do_not_email do_not_send_email do_not_send_notification do_not_send_notification_email without_email without_notification without_notification_email',
    ].join(' '),
  ),
}

export const message: Names = {
  words: composed('message note text body comment msg', 'email mail notification custom personal text body content share'),
}

export const sourceUrl: Names = {
  names: words('from'),
  words: composed('url uri link href address src source', 'source file download public web remote content from of upload'),
  // A path of the machine is no address.
  fits: (written) => typeof written !== 'string' || !/^\s*(?:[/~.\\]|[a-z]:[\\/]|file:)/i.test(written),
}

export const mediaType: Names = {
  words: composed('type mime mimetype format', 'content media file mime of'),
}

/** A `path` may end in the item for the folder: its name or a file. A URL is the source of the content. */
function isFolderOnly(written: unknown, { name, others }: WrittenArgument): boolean {
  if (name !== 'path' || typeof written !== 'string') return true
  const last = written.split(/[/\\]/).findLast((each) => each !== '') ?? ''
  return !/:\/\/|\.\w{1,8}$/.test(written) && !Object.values(others).includes(last)
}

/** A path is no name: it also has a place. */
function isOneName(written: unknown): boolean {
  return typeof written !== 'string' || !/[/\\]/.test(written)
}

/** Names that consist of words. */
function composed(key: string, more: string): NameWords {
  return { key: words(key), more: words(more) }
}
