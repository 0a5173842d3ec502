import { InvalidInput, type Message, quote, sentence } from '@mcp-toolkits/core/errors'
import type { PathQuery } from '@mcp-toolkits/core/references'
import type { NamedDrive } from '../drive/about.ts'
import { type DriveItem, kindOf } from '../drive/items.ts'
import { namesIn } from './shared-drives.ts'

interface FolderQuery extends PathQuery {
  readonly sharedDrive: NamedDrive | undefined
}

/** Advice with the calls that create a path's missing folders: only the caller knows whether they are meant to be new. */
export function foldersToCreate(
  { text, newName, parameter, sharedDrive }: FolderQuery,
  end: { readonly folder: string; readonly name: string },
): Message {
  const tool = 'FileStorage.CreateFolder'
  const names = namesIn(text).split('/')
  const start = names.indexOf(end.name, end.folder === '' ? 0 : end.folder.split('/').length)
  const missing = start < 0 ? [end.name] : names.slice(start)
  const isFolder = parameter === 'parent_folder_path_or_id' && newName !== undefined
  const argumentsFor = (name: string, index: number) => {
    const parent = [end.folder, ...missing.slice(0, index)].filter((each) => each !== '').join('/')
    const place = { ...(parent !== '' && { parent_folder_path_or_id: parent }), ...(sharedDrive && { shared_drive_id: sharedDrive.id }) }
    return { folder_name: name, ...place }
  }
  const calls = [...missing, ...(isFolder ? [newName] : [])].map((name, index) => JSON.stringify(argumentsFor(name, index)))
  const last = isFolder ? '' : ', then this call again'
  return start < 0
    ? sentence`To create it, use ${{ tool }} for each missing folder, then repeat this call.`
    : sentence`To create what is missing, call ${{ tool }} with ${calls.join(', then with ')}${last}.`
}

/** The error about a file where a folder is expected, with the folder that it is in. */
export function notFolder(
  { name, mimeType, parents }: DriveItem,
  { path, parameter }: { readonly path?: string | undefined; readonly parameter: string },
): InvalidInput {
  const folder = path === undefined ? parents[0] : (/^(.*[^/])\/+[^/]+\/*$/s.exec(path)?.[1] ?? 'root')
  const text = `${quote(name)} is a ${kindOf(mimeType)}, not a folder. Pass the path or id of a folder.`
  if (folder === undefined) return new InvalidInput(text)
  return new InvalidInput(`${text} It is in ${quote(folder, 300)}.`, { suggestions: [{ value: folder, parameter, confidence: 0.6 }] })
}
