import { descriptionOf, isObject, member } from '@mcp-toolkits/core/base'
import { Message, sentence } from '@mcp-toolkits/core/errors'
import { withImplied } from '@mcp-toolkits/core/tool'
import type { ServerDefinition } from '@mcp-toolkits/server'
import { describeTool } from '@mcp-toolkits/server/testing'
import { expect, test } from 'vitest'
import { servers } from '../../../servers.ts'
import { connect } from './connect.ts'
import { providers, refusalsOf } from './providers.ts'

export interface ContractOptions {
  /** The hints in the specification, spelled out: read-only, destructive, idempotent, open world. */
  readonly hints: Readonly<Record<string, readonly [boolean, boolean, boolean, boolean]>>
  /** Tools whose examples work only under certain conditions: with a network, or while an event is waiting. */
  readonly conditional?: readonly string[]
  /** Maximum size of the list of tools, in bytes; by default, the limit in servers.ts. */
  readonly maxListBytes?: number
}

/** Parts of a schema that accept strings or lists of any length: `CreateIssue.properties.title`. */
function unboundedParts(schema: unknown, path: string): string[] {
  if (Array.isArray(schema)) return schema.flatMap((part: unknown, index) => unboundedParts(part, `${path}.${index}`))
  if (!isObject(schema)) return []
  const { type, maxLength, maxItems, ...rest } = schema
  const isFixed = 'enum' in schema || 'const' in schema
  const isUnbounded = (type === 'string' && !isFixed && maxLength === undefined) || (type === 'array' && maxItems === undefined)
  return [...(isUnbounded ? [path] : []), ...Object.entries(rest).flatMap(([keyword, part]) => unboundedParts(part, `${path}.${keyword}`))]
}

/** A value just beyond the bounds of a schema; undefined if the schema has none. */
function oversized(schema: unknown): unknown {
  const { maxLength, maxItems, items, anyOf } = isObject(schema) ? schema : {}
  if (Array.isArray(anyOf)) return anyOf.map(oversized).find((value) => value !== undefined)
  if (typeof maxItems === 'number') return Array.from({ length: maxItems + 1 }, () => member(items, 'enum') ?? 'x')
  return typeof maxLength === 'number' ? 'x'.repeat(maxLength + 1) : undefined
}

/** The rules for every server, with one snapshot per tool of what a model sees. */
export function contract<Context>(definition: ServerDefinition<Context>, { hints, conditional = [], maxListBytes }: ContractOptions): void {
  listContract(definition, hints)
  sizeContract(definition, maxListBytes ?? servers.find(({ name }) => name === definition.name)?.maxListBytes ?? 0)
  callContract(definition)
  vocabularyContract(definition)
  exampleContract(definition, conditional)
  sharingContract(definition)
}

/** The same rules for one toolset, with one snapshot per tool. */
export async function toolsetContract<Context>(
  definition: ServerDefinition<Context>,
  name: string,
  options: ContractOptions & Required<Pick<ContractOptions, 'maxListBytes'>>,
): Promise<void> {
  contract(await toolsetAlone(definition, name), options)
}

/** The same rules for tools that only apps call, as if they were for models. */
export function appToolsContract<Context>(
  { toolsForApps, ...definition }: ServerDefinition<Context>,
  options: ContractOptions & Required<Pick<ContractOptions, 'maxListBytes'>>,
): void {
  if (!toolsForApps) throw new Error(`${definition.name} has no tools for apps.`)
  const { listed, tools } = toolsForApps
  contract({ ...definition, listedTools: listed, load: { ...definition.load, tools } }, options)
}

/** The server with one toolset's tools instead of its own. */
export async function toolsetAlone<Context>(definition: ServerDefinition<Context>, name: string): Promise<ServerDefinition<Context>> {
  const toolset = definition.toolsets?.[name]
  if (!toolset) throw new Error(`${definition.name} has no toolset ${name}.`)
  const { listedTools } = await toolset.listed()
  return { ...definition, listedTools, load: { ...definition.load, tools: async () => (await toolset.tools()).tools } }
}

/** Callers on other machines must not see the server's variables or paths, whether the server has no account or an unusable one. */
function sharingContract<Context>(definition: ServerDefinition<Context>): void {
  const apiUrl = `${definition.name.toUpperCase().replaceAll('-', '_')}_API_URL`
  test.for([
    ['without an account', undefined],
    ['with an address that cannot be used', 'http://vendor.example'],
  ] as const)('tells callers who share it nothing of its settings, %s', async ([, url]) => {
    const environment = { ...(url !== undefined && { [apiUrl]: url }) }
    await using server = await connect(definition, { accountRequired: true, servesOtherMachines: true, environment })
    const { tools } = await server.client.listTools()
    const answers = await Promise.all(tools.map(async ({ name }) => JSON.stringify(await server.result(name))))
    for (const text of [...answers, server.client.getInstructions() ?? ''])
      expect(text).not.toMatch(/[A-Z]_(KEY|TOKEN|URL|EMBEDDED|ID)\b|mcp-toolkits-\w{6}/)
    expect(server.logLines.join('')).toContain(url !== undefined ? apiUrl : 'MCP_TOOLKITS_EMBEDDED')
  })

  test('tells callers who share it nothing of its settings in the notices of a call that succeeds', async () => {
    const notices = [
      sentence`Set ${{ variable: apiUrl }}.`,
      'Set MCP_TOOLKITS_STORE.',
      Message.split('It is in /var/lib.', 'It is stored.'),
    ]
    const execute = () => Promise.resolve({ data: {}, isWrite: false, notices })
    const tools = async () => (await definition.load.tools()).map((tool) => ({ ...tool, execute }))
    await using server = await connect(
      { ...definition, load: { ...definition.load, tools } },
      { embedded: true, servesOtherMachines: true },
    )
    for (const { name } of definition.listedTools)
      expect((await server.call(`${definition.prefix}.${name}`))['notices']).toEqual([
        'Ask the operator of this server to check its settings.',
        'It is stored.',
      ])
  })
}

function listContract<Context>(definition: ServerDefinition<Context>, hints: ContractOptions['hints']): void {
  test('lists the tools as they are defined', async () => {
    const tools = await definition.load.tools()
    expect(definition.listedTools).toEqual(tools.map((tool) => describeTool(tool)))
  })

  test('has the hints of the specification', async () => {
    await using server = await connect(definition, { embedded: true })
    const { tools } = await server.client.listTools()
    const listed = tools.map(({ name, annotations }) => [
      name.replace('_', '.'),
      [annotations?.readOnlyHint, annotations?.destructiveHint, annotations?.idempotentHint, annotations?.openWorldHint],
    ])
    expect(Object.fromEntries(listed)).toEqual(hints)
  })

  test('describes every tool and parameter, with names that every client accepts', async () => {
    await using server = await connect(definition, { embedded: true })
    const { tools } = await server.client.listTools()
    expect(tools.length).toBe(definition.listedTools.length)
    for (const { name, title, description, inputSchema, _meta } of tools) {
      expect(name).toMatch(/^[A-Za-z][A-Za-z0-9_]{0,63}$/)
      expect(name).not.toContain('__')
      expect(`mcp__${definition.shortName}__${name}`.length).toBeLessThanOrEqual(64)
      expect(title).toBeTruthy()
      expect(description?.length).toBeGreaterThan(40)
      expect(description?.length).toBeLessThanOrEqual(1024)
      expect(_meta?.['mcp-toolkits/name']).toBe(name.replace('_', '.'))
      expect(inputSchema['additionalProperties']).toBe(false)
      expect(inputSchema).not.toHaveProperty('anyOf')
      for (const [parameter, schema] of Object.entries(inputSchema.properties ?? {})) {
        expect(isObject(schema) && descriptionOf(schema), `${name}.${parameter}`).toBeTruthy()
      }
    }
  })

  test.for(providers)('is a list that $name takes, outputs included', async (provider) => {
    await using server = await connect(definition, { embedded: true })
    const { tools } = await server.client.listTools()
    expect(tools.flatMap((tool) => refusalsOf(provider, tool))).toEqual([])
  })

  test('limits every text and list that it accepts', async () => {
    await using server = await connect(definition, { embedded: true })
    const { tools } = await server.client.listTools()
    expect(tools.flatMap(({ name, inputSchema }) => unboundedParts(inputSchema, name))).toEqual([])
  })

  test('mentions tools only as they are advertised, and no hidden tool', async () => {
    for (const settings of [{}, { readOnly: true }, { tools: [definition.listedTools[0]?.name ?? ''] }]) {
      await using server = await connect(definition, { embedded: true, ...settings })
      const { tools } = await server.client.listTools()
      const shown = tools.map(({ description, inputSchema, outputSchema }) => ({ description, inputSchema, outputSchema }))
      const texts = JSON.stringify([server.client.getInstructions(), shown])
      expect(texts).not.toMatch(new RegExp(`\\b${definition.prefix}\\.[A-Z]`))
      const mentioned = [...texts.matchAll(new RegExp(`\\b${definition.prefix}_\\w+`, 'g'))].map(([name]) => name)
      const names = tools.map(({ name }) => name)
      expect(mentioned.filter((name) => !names.includes(name))).toEqual([])
    }
  })

  test.for(definition.listedTools.map(({ name }) => name))('%s matches its snapshot', async (name) => {
    await using server = await connect(definition, { embedded: true })
    const { tools } = await server.client.listTools()
    const tool = tools.find((each) => each._meta?.['mcp-toolkits/name'] === `${definition.prefix}.${name}`)
    await expect(`${JSON.stringify(tool, null, 2)}\n`).toMatchFileSnapshot(snapshotPath(name))
  })
}

/** Rules for the length and the completeness of the list of tools. */
function sizeContract<Context>(definition: ServerDefinition<Context>, maxListBytes: number): void {
  test('lists its tools within its byte limit', async () => {
    await using server = await connect(definition, { embedded: true })
    const { tools } = await server.client.listTools()
    const left = maxListBytes - Buffer.byteLength(JSON.stringify({ tools }))
    const read = JSON.stringify(tools.map(({ name, title, description, inputSchema }) => ({ name, title, description, inputSchema })))
    expect(left, `Shorten descriptions by ${-left} bytes, to fit the list's ${maxListBytes}.`).toBeGreaterThanOrEqual(0)
    // The remainder is for output schemas, which few models read.
    const readable = Math.floor((maxListBytes * 6) / 7) - Buffer.byteLength(read)
    expect(readable, `Shorten descriptions by ${-readable} bytes: models read too much.`).toBeGreaterThanOrEqual(0)
  })

  test("contains none of the template's placeholders", () => {
    const texts = [...definition.listedTools, { name: 'instructions', text: definition.instructions }]
    const unwritten = texts.flatMap((tool) =>
      [...JSON.stringify(tool).matchAll(/"(To do: [^"]*)"/g)].map(([, text]) => `${tool.name}: ${text}`),
    )
    expect(unwritten, unwritten.join('\n')).toEqual([])
  })
}

function callContract<Context>(definition: ServerDefinition<Context>): void {
  const canonical = (name: string) => `${definition.prefix}.${name}`

  test('rejects unknown arguments and names the expected ones', async () => {
    await using server = await connect(definition, { embedded: true })
    for (const { name, inputSchema } of definition.listedTools) {
      const error = await server.fails(canonical(name), { no_such_argument: 1 })
      expect(error.code).toBe('invalid_input')
      expect(error.message).toContain('Unknown argument "no_such_argument"')
      for (const parameter of Object.keys(inputSchema['properties'] ?? {})) expect(error.message).toContain(parameter)
    }
  })

  test('refuses a value beyond its bound, naming the bound, not the value', async () => {
    await using server = await connect(definition, { embedded: true })
    // An HTTP body may have at most 4 MiB.
    const bounded = definition.listedTools.flatMap(({ name, inputSchema }) =>
      Object.entries(inputSchema['properties'] ?? {})
        .map(([parameter, schema]) => ({ name, parameter, value: oversized(schema) }))
        .filter(({ value }) => (typeof value === 'string' || Array.isArray(value)) && value.length < 4_000_000),
    )
    for (const { name, parameter, value } of bounded) {
      const error = await server.fails(canonical(name), { [parameter]: value })
      expect(error.code, `${name}.${parameter}`).toBe('invalid_input')
      expect(error.message).toMatch(new RegExp(`^"${parameter}" must have at most \\d+ (characters|items), not \\d+\\.$`))
    }
  })

  test('accepts both spellings of a name, and reports an unknown tool as a protocol error', async () => {
    await using server = await connect(definition, { embedded: true })
    const [first] = definition.listedTools
    const name = canonical(first?.name ?? '')
    expect(await server.fails(name, { x: 1 })).toEqual(await server.fails(name.replace('.', '_'), { x: 1 }))
    await expect(server.result(canonical('NoSuchTool'))).rejects.toThrow('Unknown tool')
  })
}

/** A table of refused wishes must not claim a name that the vocabulary gives to a tool. */
function vocabularyContract<Context>(definition: ServerDefinition<Context>): void {
  test("names every tool under callers' names for it", async () => {
    await using server = await connect(definition, { embedded: true })
    const { names = {} } = (await definition.load.vocabulary?.()) ?? {}
    for (const { name } of definition.listedTools)
      for (const [other] of withImplied(names[name] ?? []))
        await expect(server.result(`${definition.prefix}.${other}`), other).rejects.toThrow(`${definition.prefix}_${name}`)
  })
}

function exampleContract<Context>(definition: ServerDefinition<Context>, conditional: readonly string[]): void {
  const names = definition.listedTools.map(({ name }) => name).filter((name) => !conditional.includes(name))
  test.for(names)('the example of %s works against the embedded default', async (name) => {
    await using server = await connect(definition, { embedded: true })
    const tool = (await definition.load.tools()).find((each) => each.name === name)
    await server.call(`${definition.prefix}.${name}`, { ...tool?.example })
  })
}

/** A snapshot's path, relative to the test file that calls the contract. */
function snapshotPath(name: string): string {
  return `./snapshots/${name}.json`
}
