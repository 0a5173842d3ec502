import { isObject, type JsonObject, stringsIn } from '@mcp-toolkits/emulator'
import { text } from '@mcp-toolkits/sqlite'
import { fileShape } from '../http/field-masks.ts'
import { invalidField, forbidden } from '../http/errors.ts'
import { flag, memberOf, parseOptionalObject } from '../http/parameters.ts'

/** The metadata in a request's body, with checked types; absent fields are undefined. */
export type FileBody = Readonly<ReturnType<typeof parseBody>>

const writableFields =
  'kind name mimeType description starred modifiedTime viewedByMeTime properties appProperties writersCanShare copyRequiresWriterPermission ' +
  'viewersCanCopyContent originalFilename folderColorRgb contentHints contentRestrictions downloadRestrictions inheritedPermissionsDisabled'
const writable = {
  create: new Set(`${writableFields} id parents createdTime shortcutDetails`.split(' ')),
  update: new Set(`${writableFields} trashed`.split(' ')),
}

/** Parses an item's metadata from JSON; an empty body counts as `{}`. */
export function parseBody(json: string, method: 'create' | 'update') {
  const sent = parseOptionalObject(json)
  for (const [field, value] of Object.entries(sent)) {
    if (value === undefined || !Object.hasOwn(fileShape, field) || writable[method].has(field)) continue
    throw forbidden('fieldNotWritable', readOnlyMessage(field, method))
  }
  const read = <T>(name: string, isValid: (value: unknown) => value is T, from = sent) => memberOf(from, `file.${name}`, isValid)
  const target = sent['shortcutDetails']
  return {
    id: read('id', text),
    name: read('name', text),
    mimeType: read('mimeType', text),
    description: read('description', text),
    parents: read('parents', isTexts),
    starred: read('starred', flag),
    trashed: read('trashed', flag),
    createdTime: moment(sent, 'createdTime'),
    modifiedTime: moment(sent, 'modifiedTime'),
    viewedByMeTime: moment(sent, 'viewedByMeTime'),
    targetId: isObject(target) ? read('targetId', text, target) : undefined,
    properties: read('properties', isObject),
    appProperties: read('appProperties', isObject),
    writersCanShare: read('writersCanShare', flag),
    copyRequiresWriterPermission: read('copyRequiresWriterPermission', flag),
    originalFilename: read('originalFilename', text),
  }
}

const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && stringsIn(value).length === value.length

const readOnlyMessage = (field: string, method: string) =>
  field === 'parents' && method === 'update'
    ? 'The parents field is not directly writable in update requests. Use the addParents and removeParents parameters instead.'
    : 'The resource body includes fields which are not directly writable.'

function moment(sent: JsonObject, name: string): string | undefined {
  const value = memberOf(sent, `file.${name}`, text)
  if (value === undefined) return undefined
  const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value)
  if (!isMoment || Number.isNaN(Date.parse(value))) throw invalidField(`file.${name}`, `Invalid value for ${name}.`)
  return new Date(Date.parse(value)).toISOString()
}
