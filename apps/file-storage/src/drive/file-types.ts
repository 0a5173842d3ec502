import { typeOf } from './items.ts'
import { literal } from './query.ts'

const exactly = (mimeType: string) => `mimeType = ${literal(mimeType)}`
const within = (family: string) => `mimeType contains ${literal(`${family}/`)}`

/** The kinds of files that a search can be narrowed to, as conditions. */
const conditions: ReadonlyMap<string, string> = new Map([
  ...(['spreadsheet', 'slides', 'document', 'drawing', 'form', 'folder'] as const).map((kind) => [kind, exactly(typeOf(kind))] as const),
  ...(['image', 'video', 'audio'] as const).map((family) => [family, within(family)] as const),
  ...(['script', 'sites'] as const).map((kind) => [kind, exactly(typeOf(kind))] as const),
  ['pdf', exactly('application/pdf')] as const,
])

export const fileTypes: readonly string[] = [...conditions.keys()]

export function isFileType(text: string): boolean {
  return conditions.has(text)
}

/** The conditions for some types, of which one must hold. */
export function typeConditions(types: readonly string[]): string[] {
  return [...new Set(types)].flatMap((type) => conditions.get(type) ?? [])
}
