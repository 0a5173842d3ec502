import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * The declarations of the installed `@linear/sdk`: object, input and interface types by name, with their fields in SDL, and fields'
 * arguments, in the form `QueryIssuesArgs`; enumerations with their values; unions with their members.
 */
function readDeclarations() {
  const folder = new URL('.', import.meta.resolve('@linear/sdk'))
  const declarations = readdirSync(folder)
    .filter((name) => name.endsWith('.d.mts'))
    .map((name) => readFileSync(fileURLToPath(new URL(name, folder)), 'utf8'))
    .join('\n')
  return {
    types: new Map(
      [...declarations.matchAll(/^type (\w+) = ((?:\w+ & )*)\{\n([\s\S]*?)^\};/gm)].map(([, name = '', interfaces = '', body = '']) => [
        name,
        { interfaces: interfaces.split(' & ').filter(Boolean), fields: () => fieldsIn(body), isObject: body.includes('__typename?: "') },
      ]),
    ),
    enums: new Map(
      [...declarations.matchAll(/^(?:declare )?enum (\w+) \{\n([\s\S]*?)^\}/gm)].map(([, name = '', body = '']) => [
        name,
        [...body.matchAll(/ = "(.*)"/g)].map(([, value = '']) => value),
      ]),
    ),
    unions: new Map(
      [...declarations.matchAll(/^type (\w+) = (\w+(?: \| \w+)+);$/gm)].map(([, name = '', members = '']) => [name, members.split(' | ')]),
    ),
  }
}

function fieldsIn(body: string): ReadonlyMap<string, string> {
  return new Map(
    [...body.matchAll(/^ {2}(\w+)\??: (.*);$/gm)]
      .filter(([, name]) => name !== '__typename')
      .map(([, name = '', type = '']) => [name, inSdl(type)]),
  )
}

/** A type in SDL. Types that TypeScript cannot express stay as they are. */
function inSdl(type: string): string {
  const nullable = /^(?:InputMaybe|Maybe)<(.*)>$/.exec(type)?.[1]
  if (nullable !== undefined) return inSdl(nullable).replace(/!$/, '')
  const element = /^Array<(.*)>$/.exec(type)?.[1]
  if (element !== undefined) return `[${inSdl(element)}]!`
  return `${/^Scalars\["(\w+)"\]$/.exec(type)?.[1] ?? type}!`
}

/** The schema in SDL: every query and mutation, webhook contents, and all types reachable from these. */
export function vendorSdl(): string {
  const { types, enums, unions } = readDeclarations()
  const argumentTypes = new Map(
    [...types].filter(([name]) => name.endsWith('Args')).map(([name, { fields }]) => [name.toLowerCase(), fields]),
  )
  const implementors = (name: string) => [...types].filter(([, { interfaces }]) => interfaces.includes(name)).map(([each]) => each)
  const definitions = new Map<string, string>()
  const define = (type: string, isInput: boolean) => {
    const name = /\w+/.exec(type)?.[0] ?? ''
    if (definitions.has(name) || builtIn.has(name)) return
    const declared = types.get(name)
    // Reserves the name, because types refer to each other.
    definitions.set(name, `scalar ${name}`)
    if (declared !== undefined && isInput) {
      const fields = declared.fields()
      fields.forEach((each) => {
        define(each, true)
      })
      definitions.set(name, `input ${name} { ${[...fields].map(([field, each]) => `${field}: ${each}`).join(' ')} }`)
    } else if (declared !== undefined) {
      const fields = [...declared.fields()].filter(([field]) => field !== '_dummy')
      const written = fields.map(([field, each]) => {
        const args = [...(argumentTypes.get(`${name}${field}Args`.toLowerCase())?.() ?? [])]
        for (const [, argument] of args) define(argument, true)
        define(each, false)
        return `${field}${args.length === 0 ? '' : `(${args.map((arg) => arg.join(': ')).join(' ')})`}: ${each}`
      })
      const interfaces = declared.interfaces.length === 0 ? '' : ` implements ${declared.interfaces.join(' & ')}`
      declared.interfaces.forEach((each) => {
        define(each, false)
      })
      definitions.set(name, `${declared.isObject ? 'type' : 'interface'} ${name}${interfaces} { ${written.join(' ')} }`)
      if (!declared.isObject) {
        implementors(name).forEach((each) => {
          define(each, false)
        })
      }
    } else if (enums.has(name)) definitions.set(name, `enum ${name} { ${(enums.get(name) ?? []).join(' ')} }`)
    else if (unions.has(name)) {
      definitions.set(name, `union ${name} = ${(unions.get(name) ?? []).join(' | ')}`)
      unions.get(name)?.forEach((each) => {
        define(each, false)
      })
    }
  }
  define('Query', false)
  define('Mutation', false)
  define('EntityWebhookPayload', false)
  return [...definitions.values()].join('\n')
}

const builtIn = new Set(['ID', 'String', 'Boolean', 'Int', 'Float'])
