import type { Clock } from '@mcp-toolkits/core/base'
import { InvalidInput } from '@mcp-toolkits/core/errors'
import type { CallContext, Operation } from '@mcp-toolkits/core/tool'
import type { Context } from '../context.ts'
import { confirmNew, placeOf } from '../drive/confirmed.ts'
import type { DriveItem } from '../drive/items.ts'
import { findNamesakes, namesakeNotice } from '../drive/paths.ts'
import { isRoot, requireFolder, withTarget } from '../resolve/resolve.ts'
import { resolveDrive } from '../resolve/shared-drives.ts'
import { upload, type UploadOptions, type UploadRequest, type UploadServices } from '../upload/upload-machine.ts'
import type { UploadResult } from '../upload/upload-phases.ts'
import { lookupOf } from './parameters.ts'

/** Reports a call's progress to its caller. */
type ReportProgress = (progress: number, total?: number, message?: string) => void

/** Milliseconds between reports that the source is being read; clients wait about a minute. */
const intervalMs = 1_000
/** A progress step: less than a byte, so that the number stays accurate, but more than zero, because progress must increase. */
const tick = 1 / 256

/**
 * Reports the stored amount and, in between, that the source is still being read. A restarted upload reports no bytes until they exceed the
 * earlier progress.
 */
export function uploadProgress(report: ReportProgress, clock: Clock): Pick<UploadOptions, 'onData' | 'onStored'> {
  let reported = 0
  let total: number | undefined
  let nextAt = 0
  return {
    onStored(bytes, totalBytes) {
      total = totalBytes
      if (bytes <= reported) return
      reported = bytes
      nextAt = clock.now() + intervalMs
      report(reported, total, 'bytes stored')
    },
    onData() {
      if (clock.now() < nextAt) return
      nextAt = clock.now() + intervalMs
      reported += tick
      report(reported, total, 'bytes stored; reading the source')
    },
  }
}

/** The arguments that describe the new file. */
interface NewFileArguments {
  readonly file_name: string
  readonly mime_type?: string | undefined
  readonly destination_folder_path_or_id?: string | undefined
  readonly shared_drive_id?: string | undefined
}

/** A new file's content, and a way to fetch it if it is not on the web. */
interface NewContent extends Pick<UploadRequest, 'sourceUrl'>, Partial<Pick<UploadServices, 'fetchSource'>> {
  /** True to look for other items with the same name even if that takes a request. */
  readonly looksForNamesakes?: boolean
}

/** Creates a file with a URL's content. Returns it with its folder's name. */
export async function uploadNewFile(
  args: NewFileArguments,
  { sourceUrl, looksForNamesakes = false, ...content }: NewContent,
  context: Context,
  call: CallContext,
): Promise<{ readonly file: DriveItem; readonly folder: string; readonly namesakes: readonly string[] }> {
  const { drive, paths } = context
  const { scope, progress, operation, notice, patienceMs } = call
  const { file_name: name, mime_type: mimeType, destination_folder_path_or_id: text = 'root' } = args
  checkName(name, args.destination_folder_path_or_id)
  if (/^https:\/\/(?:drive|docs)\.google\.com\/(?:\w+\/)*(?:d|folders)\/[\w-]+(?:\/(?:view|edit|preview))?\/?(?:[?#]|$)/.test(sourceUrl))
    throw new InvalidInput('The URL leads to the page of an item in Google Drive, not to its content. Nothing was uploaded.')
  const lookup = { ...lookupOf(context, call), isWrite: true }
  const sharedDrive = await resolveDrive(args.shared_drive_id, lookup)
  const query = { text, parameter: 'destination_folder_path_or_id', sharedDrive, expects: 'folder', newName: name } as const
  return withTarget(query, lookup, async (target) => {
    const destination = requireFolder(target, 'destination_folder_path_or_id')
    const options = {
      ...uploadProgress(progress, drive.clock),
      isFolderKnown: target.item !== undefined || isRoot(destination.id, target.sharedDrive),
      scope,
      operation,
      patienceMs,
    }
    const uploaded = await upload({ name, parent: destination.id, sourceUrl, mimeType }, { ...context, ...content }, options)
    const { item, folder } = uploaded
    const alsoFound = target.alsoFound ?? (looksForNamesakes && !uploaded.earlierCall ? undefined : [])
    const namesakes = await findNamesakes(item, { folder: folder.folderId, alsoFound, paths, scope })
    await paths.recordChange({ item, into: folder.folderId }, scope)
    if (uploaded.earlierCall) notice(earlierCallNotices(operation)[uploaded.earlierCall])
    else if (namesakes.length > 0) notice(namesakeNotice(item, namesakes, 'new'))
    // Only an earlier call's file can have changed since it was created.
    const missing = !uploaded.earlierCall?.startsWith('created')
      ? confirmNew(
          item,
          { name, folder: folder.folderId, mimeType },
          { name: 'file_name', folder: 'destination_folder_path_or_id', mimeType: 'mime_type' },
        )
      : undefined
    if (missing !== undefined) notice(missing)
    if (uploaded.isUnexpectedPage) notice(unexpectedPageNotice)
    return { file: item, folder: placeOf(item, folder, destination.label), namesakes: uploaded.earlierCall ? [] : namesakes }
  })
}

/** The URL without wrappers: `<…>`, quotation marks, a Markdown link. */
export function plainUrl(text: string): string {
  const bare = text.trim().replace(/^\[[^\]]*\]\((\S+)\)$/, '$1')
  return /^(?:<.*>|".*"|'.*'|`.*`)$/.test(bare) ? bare.slice(1, -1).trim() : bare
}

/** Refuses a path as a name; proposes the part before its last slash as the folder if no folder is given. */
function checkName(name: string, folder: string | undefined): void {
  if (/[/\\]/.test(name) || name === '.' || name === '..') {
    const [, parent = '', last = ''] = /^(.*)[/\\]([^/\\]+)$/s.exec(name) ?? []
    const canSplit = folder === undefined && /[^/\\.]/.test(parent) && /[^.]/.test(last)
    throw new InvalidInput(
      '"file_name" must be a name, not a path: it contains a slash or backslash. Pass the folder as destination_folder_path_or_id.',
      canSplit ? { next: { change: { file_name: last, destination_folder_path_or_id: parent.replaceAll('\\', '/') } } } : {},
    )
  }
  // Such a name can look like a different one.
  if (/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(name)) {
    throw new InvalidInput(
      '"file_name" must not contain invisible characters: line breaks, control characters or direction marks. Leave them out.',
    )
  }
}

const unexpectedPageNotice =
  'The content is an HTML page. If you expected something else, the URL leads to a sign-in or download page: pass the URL of the file itself.'

type EarlierCallNotices = Readonly<Record<NonNullable<UploadResult['earlierCall']>, string>>

const earlierCallNotices = ({ isKeyed }: Pick<Operation, 'isKeyed'>): EarlierCallNotices => ({
  started: 'An earlier call had started this upload. This call finished it; there is one file.',
  partlySent: 'An earlier call had started this upload; it was continued.',
  created: `An earlier call had already created this file, so no second one was created. To create another one, repeat the call${isKeyed ? ' with a different key' : ''}.`,
  createdOtherContent: `An earlier attempt at this call created this file, and its content differs from what the URL returns now. The file was left unchanged; to upload the current content, call again${isKeyed ? ' with a different key' : ''}.`,
  createdUnread:
    'An earlier attempt at this call created this file. The URL failed before all its content was read again, so the two were not compared: check the size and the md5_checksum.',
  deleted: 'An earlier call had created this file, but it has been deleted since. It was created again.',
})
