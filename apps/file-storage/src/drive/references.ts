import { InvalidInput, NotFound, type ErrorDetails } from '@mcp-toolkits/core'

/** What a caller wrote where a path or an id can stand. */
export type Reference =
  | { readonly kind: 'path'; readonly text: string }
  /** `orName` where the text can also be the name of an item at the top. */
  | { readonly kind: 'id'; readonly id: string; readonly orName: boolean; readonly resourceKey?: string }
  /** A text in the form of an id that is more likely a name. */
  | { readonly kind: 'name'; readonly text: string }

/** People also copy links without their scheme. */
const link = /^(?:https?:\/\/|(?:drive|docs)\.google\.com\/)/i
/** Files have 28 to 44 such characters, shared drives 19. */
const idForm = /^[\w-]{15,}$/
/** What stands under `/files/` beside ids: https://developers.google.com/workspace/drive/api/reference/rest/v3/files */
const endpoints = ['generateCseToken', 'generateIds', 'trash']

/** Whether a text can be an id; everything else would be another endpoint or another path. */
export function isId(text: string): boolean {
  return idForm.test(text) && !endpoints.includes(text)
}

/**
 * Tells ids from paths. A link to Drive is the id in it; `root` is the top of the area. Ids have a digit, save for one in a hundred,
 * so a text of their form without any is looked for as a name first.
 */
export function readReference(text: string, root: string): Reference {
  if (link.test(text)) return { kind: 'id', ...readLink(text), orName: false }
  if (text === 'root' || text === root) return { kind: 'id', id: root, orName: false }
  if (!isId(text)) return { kind: 'path', text }
  return /\d/.test(text) ? { kind: 'id', id: text, orName: true } : { kind: 'name', text }
}

/** The id in the address of an item: `/file/d/ID/view`, `/drive/folders/ID`, `/document/d/ID/edit`, `/open?id=ID`. */
function readLink(text: string): { readonly id: string; readonly resourceKey?: string } {
  const url = URL.parse(/^https?:/i.test(text) ? text : `https://${text}`)
  const isDrive = url !== null && /^(?:drive|docs)\.google\.com$/.test(url.hostname)
  const id = url && (/\/(?:d|folders)\/([^/]+)/.exec(url.pathname)?.[1] ?? url.searchParams.get('id'))
  if (!isDrive || typeof id !== 'string' || !isId(id)) {
    throw new InvalidInput(
      `${JSON.stringify(text.slice(0, 200))} is no link to an item in Google Drive. Pass a path, an id, or such a link.`,
    )
  }
  const resourceKey = url.searchParams.get('resourcekey')
  return { id, ...(resourceKey !== null && { resourceKey }) }
}

/** The id of a shared drive as a caller gave it, if one was given. Throws `InvalidInput` for what cannot be one. */
export function readDriveId(text: string | undefined, parameter = 'shared_drive_id'): string | undefined {
  if (text === undefined || isId(text)) return text
  throw new InvalidInput(
    `"${parameter}" must be the id of a shared drive, not ${JSON.stringify(text.slice(0, 80))}. FileStorage.WhoAmI lists them.`,
  )
}

/** Says what to do about a shared drive that is not there, or not for this person. */
export function unknownDrive(driveId: string, details: ErrorDetails): NotFound {
  return new NotFound(`No shared drive with the id "${driveId}" is visible. FileStorage.WhoAmI lists those that are.`, details)
}
