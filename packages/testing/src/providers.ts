import { isObject } from '@mcp-toolkits/core/base'

/**
 * A provider's limits on function declarations, from its own pages. Hosts pass on our schemas, some hosts without changing them, and a
 * single refused schema costs the host the whole list of tools. `docs/providers.md` has the rules in words.
 */
export interface Provider {
  readonly name: string
  readonly source: string
  readonly toolName: RegExp
  readonly parameterName: RegExp
  /** The keywords that the provider knows; any other keyword is an error. By default, all of JSON Schema. */
  readonly keywords?: readonly string[]
  /** Keywords that are errors anywhere, and those that are errors at the root. */
  readonly refused: readonly string[]
  readonly refusedAtRoot: readonly string[]
  /** The string formats that the provider knows. */
  readonly formats: readonly string[]
  /** True if `anyOf` allows no sibling. */
  readonly anyOfAlone?: true
  /** True if enumeration values must be strings. */
  readonly textEnums?: true
}

const composition = ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else', 'enum', 'const']

/** Google's schemas: both APIs define the fields in one message, and return HTTP 400 for any other field. */
const googleSchema = {
  keywords: [
    ...['type', 'format', 'title', 'description', 'nullable', 'default', 'enum', 'example', 'items', 'properties', 'propertyOrdering'],
    ...[
      'required',
      'anyOf',
      'minimum',
      'maximum',
      'minItems',
      'maxItems',
      'minLength',
      'maxLength',
      'minProperties',
      'maxProperties',
      'pattern',
    ],
    // Known only in the declaration's JSON form, `parametersJsonSchema`.
    'additionalProperties',
  ],
  refused: [],
  refusedAtRoot: composition,
  formats: ['enum', 'date-time'],
  anyOfAlone: true,
  textEnums: true,
} as const

export const providers: readonly Provider[] = [
  {
    name: 'OpenAI',
    source: 'https://platform.openai.com/docs/guides/structured-outputs#supported-schemas',
    toolName: /^[\w-]{1,64}$/,
    parameterName: /^.{1,256}$/,
    refused: ['oneOf', 'allOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas', 'patternProperties', 'prefixItems'],
    refusedAtRoot: composition,
    formats: ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'],
  },
  {
    name: 'Anthropic',
    source: 'https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use',
    toolName: /^[\w-]{1,64}$/,
    parameterName: /^[\w.-]{1,64}$/,
    refused: ['$ref', '$defs', 'definitions'],
    refusedAtRoot: ['anyOf', 'oneOf', 'allOf'],
    formats: ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'],
  },
  {
    name: 'Gemini',
    source: 'https://ai.google.dev/api/caching#Schema',
    toolName: /^[A-Za-z_][\w.:-]{0,63}$/,
    parameterName: /^[A-Za-z_]\w{0,63}$/,
    ...googleSchema,
  },
  {
    name: 'Vertex AI',
    source: 'https://cloud.google.com/vertex-ai/docs/reference/rest/v1/FunctionDeclaration',
    toolName: /^[A-Za-z_][\w.-]{0,63}$/,
    parameterName: /^[A-Za-z_]\w{0,63}$/,
    ...googleSchema,
  },
]

interface DeclaredTool {
  readonly name: string
  readonly inputSchema: unknown
  readonly outputSchema?: unknown
}

/** The reasons why a provider would refuse a tool, one line for each; empty if the provider accepts the tool. */
export function refusalsOf(provider: Provider, { name, inputSchema, outputSchema }: DeclaredTool): string[] {
  const { refusedAtRoot, toolName } = provider
  const atRoot = Object.keys(isObject(inputSchema) ? inputSchema : {}).filter((keyword) => refusedAtRoot.includes(keyword))
  return [
    ...(toolName.test(name) ? [] : [`${name}: the name`]),
    ...(isObject(inputSchema) && inputSchema['type'] === 'object' ? [] : [`${name}: the root is not an object`]),
    ...atRoot.map((keyword) => `${name}: ${keyword} at the root`),
    ...schemaRefusals(provider, inputSchema, `${name}.input`),
    ...schemaRefusals(provider, outputSchema ?? {}, `${name}.output`),
  ]
}

function schemaRefusals(provider: Provider, schema: unknown, path: string): string[] {
  if (!isObject(schema)) return [`${path} is not a schema`]
  const { type, format, items, properties, required, anyOf, enum: values } = schema
  const fields = isObject(properties) ? properties : {}
  const needed: readonly unknown[] = Array.isArray(required) ? required : []
  const alternatives: readonly unknown[] = Array.isArray(anyOf) ? anyOf : []
  const problems = [
    Array.isArray(type) && 'a list of types',
    type === 'array' && !isObject(items) && 'an array without items',
    typeof format === 'string' && !provider.formats.includes(format) && `format ${format}`,
    provider.anyOfAlone && alternatives.length > 0 && Object.keys(schema).length > 1 && 'a keyword next to anyOf',
    provider.textEnums &&
      Array.isArray(values) &&
      !(type === 'string' && values.every((value) => typeof value === 'string')) &&
      'an enum whose values are not strings',
    needed.some((name) => !Object.hasOwn(fields, String(name))) && 'a required parameter that does not exist',
    ...Object.keys(fields).map((name) => !provider.parameterName.test(name) && `the name ${name}`),
    ...Object.keys(schema).map((keyword) => isRefused(provider, keyword) && keyword),
  ]
  return [
    ...problems.flatMap((problem) => (typeof problem === 'string' ? [`${path}: ${problem}`] : [])),
    ...Object.entries(fields).flatMap(([name, field]) => schemaRefusals(provider, field, `${path}.${name}`)),
    ...alternatives.flatMap((each, index) => schemaRefusals(provider, each, `${path}.anyOf.${index}`)),
    ...(isObject(items) ? schemaRefusals(provider, items, `${path}.items`) : []),
  ]
}

function isRefused({ refused, keywords }: Provider, keyword: string): boolean {
  return refused.includes(keyword) || (keywords !== undefined && !keywords.includes(keyword))
}
