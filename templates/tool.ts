// Text of the files that `npm run new:tool` writes. They pass every check except the contract tests, which name what is left to write.

export const effects = ['read', 'create', 'update', 'delete'] as const

export interface NewTool {
  readonly name: string
  /** Name of the tool's constant. */
  readonly constant: string
  /** The toolset that it belongs to; undefined for one that is always listed. */
  readonly toolset: string | undefined
  readonly effect: (typeof effects)[number]
  readonly isList: boolean
  readonly hasReference: boolean
}

const listParameters = `limit: z.int().min(1).max(50).default(20).describe('Page size.'),
    end_cursor: z.string().max(2_048).optional().describe('From the previous page.'),`

const itemStub = `
/** To do: ask the vendor. */
function readItems(): Promise<Candidate[]> {
  return Promise.resolve([{ id: '1', name: 'Sample' }])
}
`

const rowStub = `
/** To do: ask the vendor for \`first\` rows after the cursor. */
function readRows({ first }: Pick<ReturnType<typeof startPaging>, 'first' | 'after'>) {
  return Promise.resolve({ rows: [{ id: '1', name: 'Sample' }].slice(0, first), hasMore: false, end: null })
}
`

/** Module for a tool that works without its vendor. */
export function toolModule({ name, constant, toolset, effect, isList, hasReference }: NewTool): string {
  const names = [...(hasReference ? ['type Candidate', 'findMatch'] : []), ...(isList ? ['Pagination', 'startPaging'] : [])]
  const parameters = [
    ...(hasReference ? [`item: z.string().min(1).max(2_048).describe('Name or id.'),`] : []),
    ...(isList ? [listParameters] : []),
  ]
  return `${names.length > 0 ? `import { ${names.join(', ')} } from '@mcp-toolkits/core/references'\n` : ''}import * as z from 'zod'
import { defineTool } from '${toolset === undefined ? '' : '../'}../context.ts'

export const ${constant} = defineTool({
  name: '${name}',
  title: 'To do: say what it does in a few words',
  description: 'To do: say what the tool does, when to use it, and which tool to use instead.',
  effect: '${effect}',
  scopes: [],
  input: z.strictObject({${parameters.length > 0 ? `\n    ${parameters.join('\n    ')}\n  ` : ''}}),
  output: z.object({ ${outputOf({ effect, isList, hasReference })} }),
  example: {${hasReference ? " item: 'Sample' " : ''}},
  ${runOf(name, { effect, isList, hasReference })},
})
${hasReference ? itemStub : ''}${isList ? rowStub : ''}`
}

type Variant = Omit<NewTool, 'name' | 'constant' | 'toolset'>

function outputOf({ effect, isList, hasReference }: Variant): string {
  const item = hasReference ? ['item: z.string()'] : []
  if (isList) return [...item, 'rows: z.array(z.object({ id: z.string(), name: z.string() }))', 'pagination: Pagination'].join(', ')
  return [...item, effect === 'create' ? 'id: z.string()' : 'done: z.boolean()'].join(', ')
}

function runOf(name: string, { effect, isList, hasReference }: Variant): string {
  if (!isList && !hasReference && effect !== 'create') return 'run: () => Promise.resolve({ done: true })'
  const args = isList ? 'args' : hasReference ? '{ item }' : '_args'
  const found = hasReference ? ['item: candidate.name'] : []
  const lines = [
    ...(hasReference
      ? [
          `const { candidate } = findMatch(${isList ? 'args.item' : 'item'}, await readItems(), { kind: 'item', parameter: 'item', autoAccept: false })`,
        ]
      : []),
    ...(isList
      ? [
          `const { after, first, result, pagination } = startPaging(['${name}'${hasReference ? ', candidate.id' : ''}], args)`,
          'const { rows, hasMore, end } = await readRows({ first, after })',
          `return result({ ${[...found, 'rows', 'pagination: pagination(hasMore, end)'].join(', ')} })`,
        ]
      : effect === 'create'
        ? ['const { value: id } = await operation.claim()', `return { ${[...found, 'id'].join(', ')} }`]
        : [`return { ${[...found, 'done: true'].join(', ')} }`]),
  ]
  return `async run(${effect === 'create' ? `${args}, _context, { operation }` : args}) {\n    ${lines.join('\n    ')}\n  }`
}

/** The tool's test, which passes until the module changes. */
export function toolTest(
  { name, toolset, effect, isList, hasReference }: NewTool,
  server: { readonly constant: string; readonly prefix: string },
): string {
  const item = hasReference ? ["item: 'Sample'"] : []
  const result = isList ? ["rows: [{ id: '1', name: 'Sample' }]", 'pagination: { has_more: false, end_cursor: null }'] : ['done: true']
  const expected = effect === 'create' ? "toHaveProperty('id')" : `toMatchObject({ ${[...item, ...result].join(', ')} })`
  return `import { connect } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { ${server.constant} } from '${toolset === undefined ? '' : '../'}../src/server.ts'

test('${name} says what it has to do', async () => {
  await using server = await connect(${server.constant}, { embedded: true${toolset === undefined ? '' : `, toolsets: ['${toolset}']`} })
  expect(await server.call('${server.prefix}.${name}'${hasReference ? ", { item: 'Sample' }" : ''})).${expected}
})
`
}
