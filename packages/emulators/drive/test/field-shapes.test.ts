import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import {
  aboutShape,
  driveListShape,
  fileShape,
  fileListShape,
  type FieldShape,
  generatedIdsShape,
  permissionShape,
  permissionListShape,
  sharedDriveShape,
} from '../src/http/field-masks.ts'

const path = join(dirname(createRequire(import.meta.url).resolve('@googleapis/drive')), 'v3.d.ts')
const declarations = readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')

/** A type's fields as the official client declares them; an inline type has its own fields. */
function declared(name: string): FieldShape {
  const start = declarations.indexOf(`interface ${name} {`)
  if (start < 0) throw new Error(`The client declares no ${name}.`)
  return fieldsFrom(declarations.indexOf('{', start) + 1)
}

function fieldsFrom(start: number): FieldShape {
  const form: Record<string, FieldShape> = {}
  for (let at = start; ;) {
    const end = declarations.indexOf('\n', at)
    const line = declarations.slice(at, end)
    if (/^\s*}/.test(line)) return form
    const [, field, type = ''] = /^\s*(\w+)\?: (.*)$/.exec(line) ?? []
    at = end + 1
    if (field === undefined) continue
    const schema = /^(Schema\$\w+)/.exec(type)?.[1]
    const isInPlace = type.endsWith('{')
    form[field] = isInPlace ? fieldsFrom(at) : schema === undefined ? {} : declared(schema)
    if (isInPlace) at = skipped(at)
  }
}

/** Start of the line after the closing brace. */
function skipped(start: number): number {
  let depth = 1
  let at = start
  for (; depth > 0; at += 1) depth += declarations[at] === '{' ? 1 : declarations[at] === '}' ? -1 : 0
  return declarations.indexOf('\n', at) + 1
}

const shape = (form: FieldShape): object =>
  Object.fromEntries(Object.entries(form).map(([field, part]): [string, object] => [field, shape(part)]))

/** Parts for which the emulator has no values: a mask takes each as a whole. */
const wholes = ['clientEncryptionDetails', 'labelInfo', 'downloadRestrictions', 'downloadRestriction', 'decryptionMetadata']

function withoutWholes(form: FieldShape): FieldShape {
  const entries = Object.entries(form).map(([field, part]): [string, FieldShape] => [
    field,
    wholes.includes(field) ? {} : withoutWholes(part),
  ])
  return Object.fromEntries(entries)
}

it.each([
  ['Schema$File', fileShape],
  ['Schema$FileList', fileListShape],
  ['Schema$Permission', permissionShape],
  ['Schema$PermissionList', permissionListShape],
  ['Schema$Drive', sharedDriveShape],
  ['Schema$DriveList', driveListShape],
  ['Schema$About', aboutShape],
  ['Schema$GeneratedIds', generatedIdsShape],
] as const)('masks know the fields that the official client declares: %s', (name, form) => {
  expect(shape(withoutWholes(form))).toEqual(shape(withoutWholes(declared(name))))
})
