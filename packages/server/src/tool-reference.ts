import type { JsonSchema, Tool } from '@mcp-toolkits/core'
import { isObject } from '@mcp-toolkits/core/json'
import { toJsonSchema } from '@mcp-toolkits/core/json-schema'
import { Message } from '@mcp-toolkits/core/message'
import type { ServerDefinition } from './definition.ts'
import type { Distribution } from './distribution.ts'
import { code, effectOf, markdownTable } from './readme.ts'
import { ResultShapes } from './result-shapes.ts'

/** The reference page of a server: every tool with its parameters and its full result, and the shapes that results share. */
export function referencePage(
  definition: Pick<ServerDefinition<never>, 'title' | 'prefix'>,
  tools: readonly Tool<never>[],
  { recordNames }: Pick<Distribution, 'recordNames'> = {},
): string {
  const outputs = tools.map((tool) => toJsonSchema(tool.output))
  const shapes = new ResultShapes(outputs, recordNames)
  const shared = shapes.sections()
  return [
    `# ${definition.title}: tools`,
    'Generated from the tool definitions by `npm run generate`. Tool names are shown as the specification has them; by default a server advertises them with an underscore instead of the dot, and accepts both. A field with a question mark may be absent.',
    ...tools.map((tool, index) => toolSection(definition.prefix, tool, shapes.result(outputs[index] ?? {}))),
    ...(shared.length > 0 ? ['## Shapes', 'Records that several results hold.', ...shared] : []),
    '',
  ].join('\n\n')
}

function toolSection(prefix: string, tool: Tool<never>, result: string): string {
  const parameters = parameterRows(toJsonSchema(tool.input))
  return [
    `## ${prefix}.${tool.name}`,
    Message.of(tool.description).render(),
    `Effect: ${effectOf(tool)}.${tool.scopes.length > 0 ? ` Scopes: ${tool.scopes.join(', ')}.` : ''}`,
    ...(parameters.length > 0 ? [markdownTable(['Parameter', 'Type', 'Required', 'Meaning'], parameters)] : []),
    ...(result === '' ? [] : [result]),
  ].join('\n\n')
}

/** One row for each parameter. The contract tests see to it that each has a description. */
function parameterRows({ properties, required }: JsonSchema): string[][] {
  if (!isObject(properties)) return []
  const needed: readonly unknown[] = Array.isArray(required) ? required : []
  return Object.entries(properties).map(([name, schema]) => {
    const description = isObject(schema) && typeof schema['description'] === 'string' ? schema['description'] : ''
    return [code(name), code(parameterType(schema)), needed.includes(name) ? 'yes' : 'no', description]
  })
}

/** The type in one line. */
function parameterType(schema: unknown): string {
  return new ResultShapes([]).type(schema).replace(/\s+/g, ' ')
}
