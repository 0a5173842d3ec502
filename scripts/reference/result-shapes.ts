import { canonicalJson, isObject } from '../../packages/core/src/base/index.ts'
import type { JsonSchema } from '../../packages/core/src/tool/index.ts'

/** Minimum number of fields in a record that gets a name, unless all fields that contain the record suggest the same name. */
const minFields = 3
/** Minimum number of fields in a result that gets a name: more than for a record, because tools are read one at a time. */
const minResultFields = 6
/** Maximum width of a comment, and of a record on one line, in characters. */
const [commentWidth, lineWidth] = [100, 100]

interface Shape {
  readonly schema: JsonSchema
  readonly size: number
  /** The names that the fields suggest, one for each occurrence. */
  readonly names: string[]
}

interface Collection {
  readonly shapes: Map<string, Shape>
  readonly nounOf: ReadonlyMap<string, string>
  readonly least: number
}

/**
 * Writes results' types much as TypeScript does, except that a field without a type is text. Records that occur more than once get a name
 * and are written once.
 */
export class ResultShapes {
  readonly #names = new Map<string, string>()
  readonly #schemas = new Map<string, JsonSchema>()

  /** `nouns` are record names, each with the fields that contain such a record but suggest another name: `Person: ['assignee']`. */
  constructor(outputs: readonly JsonSchema[], nouns: Readonly<Record<string, readonly string[]>> = {}) {
    const shapes = new Map<string, Shape>()
    const nounOf = new Map(Object.entries(nouns).flatMap(([noun, fields]) => fields.map((field) => [field, noun] as const)))
    for (const output of outputs) collect(output, 'result', { shapes, nounOf, least: minResultFields })
    const shared = [...shapes].filter(([, shape]) => isShared(shape)).sort(([, a], [, b]) => b.size - a.size)
    for (const [key, { schema, names }] of shared) {
      const name = chooseName(names, new Set(this.#schemas.keys()))
      this.#names.set(key, name)
      this.#schemas.set(name, schema)
    }
  }

  /** One tool's result; empty if it has no fields. */
  result(output: JsonSchema): string {
    const type = this.type(output)
    if (type === '{}') return ''
    return this.#schemas.has(type) ? `Result: ${linkTo(type)}.` : codeBlock(this.#fields(output))
  }

  /** A section for each named record, in order of name. */
  sections(): string[] {
    return [...this.#schemas]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([name, schema]) => `### ${name}\n\n${codeBlock(this.#fields(schema))}`)
  }

  /** A type; a named record is written as its name. */
  type(schema: unknown): string {
    if (!isObject(schema)) return 'unknown'
    const { type, items, anyOf, additionalProperties, properties } = schema
    const name = this.#names.get(keyOf(schema))
    if (name !== undefined) return name
    if ('const' in schema) return JSON.stringify(schema['const'])
    if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => JSON.stringify(value)).join(' | ')
    if (Array.isArray(anyOf)) return [...new Set(anyOf.map((each) => this.type(each)))].join(' | ')
    if (Array.isArray(type)) return type.join(' | ')
    if (type === 'array') return items === undefined ? 'unknown[]' : asElement(this.type(items))
    if (isObject(properties)) return this.#record(schema)
    if (type === 'object') return isObject(additionalProperties) ? `Record<string, ${this.type(additionalProperties)}>` : 'object'
    return typeof type === 'string' ? type : 'unknown'
  }

  #record(schema: JsonSchema): string {
    const fields = this.#fields(schema)
    const line = `{${fields.replaceAll('\n', ', ')}}`
    const fits = line.length <= lineWidth && !/\/\/|\{\n/.test(fields)
    return fits ? line : `{\n${fields.replace(/^/gm, '  ')}\n}`
  }

  #fields({ properties, required }: JsonSchema): string {
    const always: readonly unknown[] = Array.isArray(required) ? required : []
    const lines = Object.entries(isObject(properties) ? properties : {}).flatMap(([name, schema]) => {
      const description = isObject(schema) && typeof schema['description'] === 'string' ? schema['description'] : ''
      const [type, optional] = [this.type(schema), always.includes(name) ? '' : '?']
      // A record's fields are indented below its name.
      const [, fields, list = ''] = /^\{\n([^]*)\n\}((?:\[\])*)$/.exec(type) ?? []
      const line =
        fields === undefined ? `${name}${optional}${type === 'string' ? '' : `: ${type}`}` : `${name}${optional}${list}:\n${fields}`
      return [...comment(description), line]
    })
    return lines.join('\n')
  }
}

/** Adds every record in a schema; `holder` is the name of the field that contains it. */
function collect(schema: unknown, holder: string, collection: Collection): void {
  if (!isObject(schema)) return
  const { properties, items, anyOf, additionalProperties } = schema
  const { shapes, nounOf, least } = collection
  if (isObject(properties)) {
    const size = Object.keys(properties).length
    if (size >= least) {
      const key = keyOf(schema)
      const shape = shapes.get(key) ?? { schema, size, names: [] }
      shapes.set(key, shape)
      shape.names.push(nounOf.get(holder) ?? shapeName(holder))
    }
    for (const [name, field] of Object.entries(properties)) collect(field, name, { ...collection, least: 2 })
  }
  const alternatives: readonly unknown[] = Array.isArray(anyOf) ? anyOf : []
  for (const part of [items, additionalProperties, ...alternatives]) collect(part, holder, collection)
}

function isShared({ size, names }: Shape): boolean {
  return names.length > 1 && (size >= minFields || new Set(names).size === 1)
}

/** A record's key, which is the same for records with the same fields. */
function keyOf({ properties, required }: JsonSchema): string {
  return isObject(properties) ? canonicalJson({ properties, required }) : ''
}

/** The name that most fields suggest and no larger record has taken. */
function chooseName(names: readonly string[], taken: ReadonlySet<string>): string {
  const frequency = (name: string) => names.filter((each) => each === name).length
  const candidates = [...new Set(names)].sort((a, b) => frequency(b) - frequency(a))
  const [first = 'Record'] = candidates
  const all = [...candidates, ...['Summary', 'Reference', 'Name', 'Row', 'Entry'].map((suffix) => `${first}${suffix}`)]
  return all.find((name) => !taken.has(name)) ?? `${first}${taken.size}`
}

/** The name that a field suggests: `latest_updates` suggests `LatestUpdate`. */
function shapeName(field: string): string {
  const singular = field
    .replace(/ies$/, 'y')
    .replace(/uses$/, 'us')
    .replace(/(?<=[^su])s$/, '')
  return singular.replace(/(?:^|_)([a-z])/g, (_all, letter: string) => letter.toUpperCase())
}

function asElement(type: string): string {
  const outside = type.includes('{') ? type.slice(0, type.indexOf('{')) + type.slice(type.lastIndexOf('}') + 1) : type
  const isUnion = outside.includes(' | ')
  return isUnion ? `(${type})[]` : `${type}[]`
}

/** A description as comment lines above its field. */
function comment(description: string): string[] {
  const lines: string[] = []
  for (const word of description.split(/\s+/)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < commentWidth) lines[lines.length - 1] = `${last} ${word}`
    else if (word !== '') lines.push(`// ${word}`)
  }
  return lines
}

function linkTo(name: string): string {
  return `[${name}](#${name.toLowerCase()})`
}

function codeBlock(type: string): string {
  return `\`\`\`text\n${type}\n\`\`\``
}
