import { descriptionOf, isObject, type JsonObject } from '@mcp-toolkits/core/base'
import { joinWords, quote } from '@mcp-toolkits/core/errors'
import type { ListedTool, ServerDefinition, Settings } from '../../mcp/definition.ts'
import { fileOptionsOf } from '../../mcp/extension.ts'
import { type AdvertisedTool, listing } from '../../mcp/listing/listing.ts'
import { toolsetsOf } from '../../mcp/listing/toolsets.ts'
import { findTool, flagOf, parametersOf, type Reader, typesOf, valuesOf } from '../call/call-line.ts'
import { type Console, print, printJson, UsageError } from '../command.ts'
import type { Command } from './command-type.ts'
import { invocationOf } from '../invocation.ts'
import { exampleCalls, placeholder } from '../call/tool-example.ts'
import { widthOf, wrap } from '../view.ts'

/** Prints the tools, or everything about one; with `--json`, the response to `tools/list`. */
export const tools: Command = async (definition, line, console) => {
  const [name, ...rest] = line.operands
  if (rest.length > 0) throw new UsageError('tools takes the name of one tool at most.')
  const { settings, json } = line
  const shown = listing(definition, settings)
  if (name !== undefined) {
    if (json) await printJson(console.output, { ...(await describeTool(definition, settings, name, { json, console })).advertised })
    else await print(console.output, await toolHelp(definition, { name, settings, json, asFlags: false }, console))
    return 0
  }
  if (json) {
    await printJson(console.output, { tools: shown.tools })
    return 0
  }
  const width = Math.max(...shown.tools.map((tool) => tool.name.length))
  await print(console.output, shown.tools.map((tool) => `${tool.name.padEnd(width)}  ${tool.title}`).join('\n'))
  const { off } = toolsetsOf(definition, settings)
  if (off.length > 0) await print(console.errors, `More tools with --toolsets: ${off.join(', ')}.`)
  return 0
}

/** The tool to describe, and the style. */
export interface ToolHelpOptions {
  /** The tool's name, as a person typed it. */
  readonly name: string
  readonly settings: Settings
  readonly json: boolean
  /** True if parameters are shown as `call`'s flags. */
  readonly asFlags: boolean
}

const indent = 4

/** Finds a tool by a typed name, and returns it as recorded and as advertised. Throws `UsageError` for an unknown one. */
export async function describeTool<Context>(
  definition: ServerDefinition<Context>,
  settings: Settings,
  name: string,
  reader: Reader,
): Promise<{ readonly tool: ListedTool; readonly advertised: AdvertisedTool }> {
  const shown = listing(definition, settings)
  const tool = await findTool(definition, shown, name, reader)
  const advertised = shown.tools.find((each) => each._meta['mcp-toolkits/name'] === `${definition.prefix}.${tool.name}`)
  if (!advertised) throw new UsageError(`There is no tool ${quote(name)}.`)
  return { tool, advertised }
}

/** One tool's description for a person, with its parameters and an example. Throws `UsageError` for an unknown tool. */
export async function toolHelp<Context>(
  definition: ServerDefinition<Context>,
  { name, settings, json, asFlags }: ToolHelpOptions,
  console: Console,
): Promise<string> {
  const { tool, advertised } = await describeTool(definition, settings, name, { json, console })
  const width = widthOf(console.output)
  const parameters = [...parametersOf(advertised)]
  const { required: needed } = advertised.inputSchema
  const required: readonly unknown[] = Array.isArray(needed) ? needed : []
  const file = asFlags ? fileOptionsOf(definition).find(({ tools }) => tools.includes(tool.name)) : undefined
  const requirement = (parameter: string) => (file?.replaces.includes(parameter) === true ? `required without --${file.name}` : 'required')
  const sections = parameters.map(([parameter, schema]) => {
    const heading = asFlags ? flagUsage(parameter, schema) : parameter
    const facts = [
      ...(asFlags && typesOf(schema).includes('boolean') ? [] : [typeText(schema)]),
      ...(required.includes(parameter) ? [requirement(parameter)] : []),
      ...limitsOf(schema),
    ]
    const text = indented(wrap(descriptionOf(schema) ?? '', width - indent))
    return [...wrapFacts(`  ${heading}`, facts, width), ...text].join('\n')
  })
  const command = invocationOf(definition, console)
  const withFile = file && file.replaces.length > 0 ? [`call ${tool.name} --${file.name} FILE`] : []
  const examples = [...withFile, ...(await exampleCalls(definition, tool))]
  return [
    `${advertised.name}: ${advertised.title}`,
    wrap(advertised.description, width).join('\n'),
    effectText(tool),
    parameters.length === 0 ? 'It takes no parameters.' : [asFlags ? 'Options of this tool:' : 'Parameters:', ...sections].join('\n'),
    ...(file
      ? [['Option of call for this tool:', `  --${file.name} FILE`, ...indented(wrap(file.toolHelp, width - indent))].join('\n')]
      : []),
    ['Example:', ...examples.map((call) => `  ${command} ${call}`)].join('\n'),
  ].join('\n\n')
}

const indented = (lines: readonly string[]) => lines.map((line) => ' '.repeat(indent) + line)

/** The heading, and the facts in parentheses after it or on the next lines. */
function wrapFacts(heading: string, facts: readonly string[], width: number): string[] {
  if (facts.length === 0) return [heading]
  const text = `(${facts.join('; ')})`
  if (heading.length + 1 + text.length <= width) return [`${heading} ${text}`]
  return [heading, ...indented(wrap(text, width - indent))]
}

function effectText({ effect, scopes, canRead }: ListedTool): string {
  const what = effect === 'read' ? 'It only reads.' : `Effect: ${effect}${canRead ? ' (with some arguments it only reads)' : ''}.`
  return `${what}${scopes.length === 0 ? '' : ` Scopes: ${joinWords(scopes)}.`}`
}

/** `--labels-to-add TEXT …` */
function flagUsage(parameter: string, schema: JsonObject): string {
  const types = typesOf(schema)
  if (types.includes('boolean')) return `${flagOf(parameter)}, --no-${flagOf(parameter).slice(2)}`
  return `${flagOf(parameter)} ${placeholder(parameter, schema)}${types.includes('array') ? ' …' : ''}`
}

/** `text`, `one of none, urgent, high`, `list of strings`. */
function typeText(schema: JsonObject): string {
  const { type, anyOf, items } = schema
  const values = valuesOf(schema)
  if (Array.isArray(anyOf)) return anyOf.map((each) => (isObject(each) ? typeText(each) : '')).join(', or ')
  if (type === 'array') {
    const list = isObject(items) ? valuesOf(items) : []
    const kind = isObject(items) && typeof items['type'] === 'string' ? items['type'] : ''
    return `list of ${list.length > 0 ? list.join(', ') : (listNames.get(kind) ?? 'strings')}`
  }
  if (values.length > 0) return `one of ${values.join(', ')}`
  return typeof type === 'string' ? (names.get(type) ?? type) : 'any value'
}

const names = new Map([
  ['string', 'text'],
  ['integer', 'whole number'],
  ['boolean', 'true or false'],
  ['object', 'JSON object'],
])

const listNames = new Map([
  ['integer', 'numbers'],
  ['object', 'JSON objects'],
])

const limitNames = [
  ['minimum', 'at least', ''],
  ['maximum', 'at most', ''],
  ['maxLength', 'at most', ' characters'],
  ['minItems', 'at least', ' items'],
  ['maxItems', 'at most', ' items'],
] as const

function limitsOf(schema: JsonObject): string[] {
  const limits = limitNames.flatMap(([keyword, words, unit]) => {
    const limit = schema[keyword]
    return typeof limit === 'number' ? [`${words} ${limit}${unit}`] : []
  })
  const { default: value } = schema
  return [...(value === undefined ? [] : [`default: ${typeof value === 'string' ? value : JSON.stringify(value)}`]), ...limits]
}
