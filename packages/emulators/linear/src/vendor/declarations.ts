/** A field of a vendor type, with its arguments by name. Types are in SDL. */
export interface VendorField {
  readonly type: string
  readonly args: ReadonlyMap<string, string>
}

let sdl: string | undefined
let lines: ReadonlyMap<string, string> = new Map()

/** Loads the vendor's schema, which only requests need. */
export async function loadDeclarations(): Promise<void> {
  if (sdl !== undefined) return
  const { vendorSdl } = await import('./vendor-schema.ts')
  sdl = vendorSdl()
  lines = new Map(sdl.split('\n').map((line) => [line.split(' ', 2)[1] ?? '', line]))
}

/** The whole schema in SDL. */
export function loadedSdl(): string {
  if (sdl === undefined) throw new Error('The schema is not loaded.')
  return sdl
}

/** A type's one-line definition in SDL; undefined if the vendor has no such type. */
export const definitionOf = (type: string): string | undefined => (lines.size === 0 ? loadedSdl() : lines.get(type))

/** A definition's keyword: `type`, `interface`, `input`, `enum`, `union` or `scalar`. */
export const kindOf = (type: string): string => definitionOf(type)?.split(' ', 1)[0] ?? 'scalar'

const fields = new Map<string, ReadonlyMap<string, VendorField>>()

/** A type's fields; none for unknown types and types without fields. */
export function fieldsOf(type: string): ReadonlyMap<string, VendorField> {
  const known = fields.get(type)
  if (known !== undefined) return known
  const body = /^(?:type|interface|input) [^{]*\{(.*)\}$/.exec(definitionOf(type) ?? '')?.[1] ?? ''
  const found = new Map(
    [...body.matchAll(/(?<=^| )(\w+)(?:\(([^)]*)\))?: (\S+)/g)].map(([, name = '', args = '', fieldType = '']) => [
      name,
      { type: fieldType, args: new Map([...args.matchAll(/(?<=^| )(\w+): (\S+)/g)].map(([, each = '', argType = '']) => [each, argType])) },
    ]),
  )
  fields.set(type, found)
  return found
}

/** A type's name, without list and null marks. */
export const nameOf = (type: string): string => type.replace(/[[\]!]/g, '')

export const isList = (type: string): boolean => type.startsWith('[')

export const isRequired = (type: string): boolean => type.endsWith('!')

/** The name of a field's type; undefined if there is no such field. */
export function fieldType(type: string, field: string): string | undefined {
  const found = fieldsOf(type).get(field)
  return found && nameOf(found.type)
}

/** Interfaces implemented by a type. */
export const interfacesOf = (type: string): readonly string[] =>
  /^type \w+ implements ([^{]*) \{/.exec(definitionOf(type) ?? '')?.[1]?.split(' & ') ?? []

/** The object types of an interface or a union; none for other types. */
export function possibleTypes(type: string): readonly string[] {
  if (kindOf(type) === 'union') return membersOf(type)
  if (kindOf(type) !== 'interface') return []
  return [...lines.keys()].filter((each) => interfacesOf(each).includes(type))
}

const membersOf = (type: string): readonly string[] => /= (.*)$/.exec(definitionOf(type) ?? '')?.[1]?.split(' | ') ?? []

/** An enumeration's values; undefined for other types. */
export const valuesOf = (type: string): readonly string[] | undefined =>
  /^enum \w+ \{ (.*) \}$/.exec(definitionOf(type) ?? '')?.[1]?.split(' ')

/** True for types without fields. */
export const isLeaf = (type: string): boolean => ['enum', 'scalar'].includes(kindOf(type))
