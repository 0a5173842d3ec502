import { isObject, parseJson, stringsIn, type JsonObject } from '@mcp-toolkits/emulator'
import { fileShape } from '../http/field-masks.ts'
import { invalidField, forbidden, parseError } from '../http/errors.ts'

/** The metadata in a request's body, with checked types; absent fields are undefined. */
export interface FileBody {
  readonly id: string | undefined
  readonly name: string | undefined
  readonly mimeType: string | undefined
  readonly description: string | undefined
  readonly parents: readonly string[] | undefined
  readonly starred: boolean | undefined
  readonly trashed: boolean | undefined
  readonly createdTime: string | undefined
  readonly modifiedTime: string | undefined
  readonly viewedByMeTime: string | undefined
  readonly targetId: string | undefined
  readonly properties: JsonObject | undefined
  readonly appProperties: JsonObject | undefined
  readonly writersCanShare: boolean | undefined
  readonly copyRequiresWriterPermission: boolean | undefined
  readonly originalFilename: string | undefined
}

const writableFields = [
  'kind',
  'name',
  'mimeType',
  'description',
  'starred',
  'modifiedTime',
  'viewedByMeTime',
  'properties',
  'appProperties',
  'writersCanShare',
  'copyRequiresWriterPermission',
  'viewersCanCopyContent',
  'originalFilename',
  'folderColorRgb',
  'contentHints',
  'contentRestrictions',
  'downloadRestrictions',
  'inheritedPermissionsDisabled',
]
const writable = {
  create: new Set([...writableFields, 'id', 'parents', 'createdTime', 'shortcutDetails']),
  update: new Set([...writableFields, 'trashed']),
}

/** Parses an item's metadata from JSON; an empty body counts as `{}`. */
export function parseBody(json: string, method: 'create' | 'update'): FileBody {
  const sent = json.trim() === '' ? {} : parseJson(json)
  if (!isObject(sent)) throw parseError()
  for (const [field, value] of Object.entries(sent)) {
    if (value === undefined || !Object.hasOwn(fileShape, field) || writable[method].has(field)) continue
    throw forbidden('fieldNotWritable', readOnlyMessage(field, method))
  }
  const target = sent['shortcutDetails']
  return {
    id: text(sent, 'id'),
    name: text(sent, 'name'),
    mimeType: text(sent, 'mimeType'),
    description: text(sent, 'description'),
    parents: list(sent, 'parents'),
    starred: flag(sent, 'starred'),
    trashed: flag(sent, 'trashed'),
    createdTime: moment(sent, 'createdTime'),
    modifiedTime: moment(sent, 'modifiedTime'),
    viewedByMeTime: moment(sent, 'viewedByMeTime'),
    targetId: isObject(target) ? text(target, 'targetId') : undefined,
    properties: map(sent, 'properties'),
    appProperties: map(sent, 'appProperties'),
    writersCanShare: flag(sent, 'writersCanShare'),
    copyRequiresWriterPermission: flag(sent, 'copyRequiresWriterPermission'),
    originalFilename: text(sent, 'originalFilename'),
  }
}

const readOnlyMessage = (field: string, method: string) =>
  field === 'parents' && method === 'update'
    ? 'The parents field is not directly writable in update requests. Use the addParents and removeParents parameters instead.'
    : 'The resource body includes fields which are not directly writable.'

const invalidBody = (name: string) => invalidField(`file.${name}`, `Invalid value for ${name}.`)

const optionalMember = (sent: JsonObject, name: string): unknown => sent[name] ?? undefined

function text(sent: JsonObject, name: string): string | undefined {
  const value = optionalMember(sent, name)
  if (value !== undefined && typeof value !== 'string') throw invalidBody(name)
  return value
}

function flag(sent: JsonObject, name: string): boolean | undefined {
  const value = optionalMember(sent, name)
  if (value !== undefined && typeof value !== 'boolean') throw invalidBody(name)
  return value
}

function list(sent: JsonObject, name: string): readonly string[] | undefined {
  const value = optionalMember(sent, name)
  if (value === undefined) return undefined
  if (!Array.isArray(value) || stringsIn(value).length < value.length) throw invalidBody(name)
  return stringsIn(value)
}

function map(sent: JsonObject, name: string): JsonObject | undefined {
  const value = optionalMember(sent, name)
  if (value !== undefined && !isObject(value)) throw invalidBody(name)
  return value
}

function moment(sent: JsonObject, name: string): string | undefined {
  const value = text(sent, name)
  if (value === undefined) return undefined
  const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value)
  if (!isMoment || Number.isNaN(Date.parse(value))) throw invalidBody(name)
  return new Date(Date.parse(value)).toISOString()
}
