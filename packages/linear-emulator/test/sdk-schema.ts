import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = new URL('.', import.meta.resolve('@linear/sdk'))

/** The declarations of the official client: every type of Linear's schema, as TypeScript. */
const declarations = readdirSync(folder)
  .filter((name) => name.endsWith('.d.mts'))
  .map((name) => readFileSync(fileURLToPath(new URL(name, folder)), 'utf8'))
  .join('\n')

/** The fields of each object, input and interface type, and the arguments of fields as `QueryIssuesArgs`, with types in SDL. */
export const vendorTypes: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  [...declarations.matchAll(/^type (\w+) = (?:\w+ & )*\{\n([\s\S]*?)^\};/gm)].map(([, name = '', body = '']) => [name, fieldsIn(body)]),
)

/** The values of each enumeration. */
export const vendorEnums: ReadonlyMap<string, readonly string[]> = new Map(
  [...declarations.matchAll(/^(?:declare )?enum (\w+) \{\n([\s\S]*?)^\}/gm)].map(([, name = '', body = '']) => [
    name,
    [...body.matchAll(/ = "(.*)"/g)].map(([, value = '']) => value),
  ]),
)

function fieldsIn(body: string): ReadonlyMap<string, string> {
  return new Map([...body.matchAll(/^ {2}(\w+)\??: (.*);$/gm)].map(([, name = '', type = '']) => [name, inSdl(type)]))
}

/** A type in SDL. Types that TypeScript cannot express stay as they are. */
function inSdl(type: string): string {
  const nullable = /^(?:InputMaybe|Maybe)<(.*)>$/.exec(type)?.[1]
  if (nullable !== undefined) return inSdl(nullable).replace(/!$/, '')
  const element = /^Array<(.*)>$/.exec(type)?.[1]
  if (element !== undefined) return `[${inSdl(element)}]!`
  return `${/^Scalars\["(\w+)"\]$/.exec(type)?.[1] ?? type}!`
}
