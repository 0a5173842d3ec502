import { Message, sentence } from '../../packages/core/src/errors/index.ts'
import { describe as describeSchema, toolkit } from '../../packages/core/src/tool/index.ts'
import { describe, expect, it } from 'vitest'
import { referencePage, toolList } from './tool-reference.ts'
import { ResultShapes } from './result-shapes.ts'
import { flag, nothing, text } from '../../packages/server/test/stdio/echo-server.ts'

const definition = { name: 'file-storage', title: 'File storage', prefix: 'FileStorage' }
const defineTool = toolkit<never, string>()
const share = defineTool({
  name: 'ShareFile',
  title: 'Share a file',
  description: Message.of('Shares it.', sentence`See ${{ tool: 'FileStorage.WhoAmI' }}.`),
  effect: 'create',
  destructive: true,
  scopes: ['drive.file', 'drive'],
  input: nothing.extend({
    path: text.describe('Where it is | or its id.\n\nNot a link.'),
    notify: describeSchema(flag.optional(), sentence`As ${{ tool: 'FileStorage.WhoAmI' }} says.`),
  }),
  example: { path: 'Team/Plan.md' },
  output: nothing.extend({ shared: flag.describe('Whether it is.'), note: text.nullable().optional() }),
  run: () => Promise.resolve({ shared: true }),
})
const read = defineTool({
  name: 'WhoAmI',
  title: 'Who am I',
  description: 'Says who.',
  effect: 'read',
  scopes: [],
  input: nothing,
  example: {},
  output: nothing,
  run: () => Promise.resolve({}),
})
const remove = defineTool({ ...read, name: 'Delete', title: 'Delete', effect: 'delete', scopes: [], run: () => Promise.resolve({}) })

describe('the list of tools', () => {
  it('has a line for each effect, with a link to the section of each tool', () => {
    const at = '../../docs/tools/file-storage.md#filestorage'
    expect(toolList(definition, [share, read, remove]).split('\n')).toEqual([
      `- **create, may destroy data**: [\`ShareFile\`](${at}sharefile)`,
      `- **read**: [\`WhoAmI\`](${at}whoami)`,
      `- **delete**: [\`Delete\`](${at}delete)`,
    ])
  })
})

describe('the reference page', () => {
  const lines = referencePage(definition, [share, read]).split('\n')

  it('has a section for each tool, with its description, effect and scopes', () => {
    expect(lines.filter((line) => line.startsWith('#'))).toEqual([
      '# File storage: tools',
      '## FileStorage.ShareFile',
      '## FileStorage.WhoAmI',
    ])
    expect(lines).toContain('Shares it. See FileStorage.WhoAmI.')
    expect(lines).toContain('Scopes, unless a tool names others: `drive.file, drive` to create; none to read.')
    expect(lines.filter((line) => line.startsWith('**'))).toEqual(['**create, may destroy data**.', '**read**.'])
  })

  it('names the scopes of a tool that needs others than most tools with its effect', () => {
    const page = referencePage(definition, [read, read, { ...read, scopes: ['drive'] }]).split('\n')
    expect(page.filter((line) => line.startsWith('**'))).toEqual(['**read**.', '**read**.', '**read**. Scopes: drive.'])
    expect(page.join(' ')).not.toContain('Scopes, unless')
  })

  it('has a line for each parameter', () => {
    expect(lines.filter((line) => line.startsWith('- '))).toEqual([
      '- `path`, required: Where it is | or its id. Not a link.',
      '- `notify`, `boolean`: As FileStorage.WhoAmI says.',
    ])
  })

  it('describes a parameter once that several tools take', () => {
    const page = referencePage(definition, [share, share, share, read]).split('\n')
    expect(page.filter((line) => line.startsWith('- '))).toEqual([
      ...Array.from({ length: 3 }, () => '- [`path`, `notify`](#parameters-of-several-tools)'),
      '- `path`, required: Where it is | or its id. Not a link.',
      '- `notify`, `boolean`: As FileStorage.WhoAmI says.',
    ])
  })

  it('writes a result as a type, and nothing for a tool that has none', () => {
    const type = ['```text', '// Whether it is.', 'shared: boolean', 'note?: string | null', '```']
    expect(lines.slice(lines.indexOf('```text'), lines.indexOf('## FileStorage.WhoAmI') - 1)).toEqual(type)
    expect(lines.slice(lines.indexOf('## FileStorage.WhoAmI')).filter((line) => line.startsWith('`'))).toEqual([])
  })
})

describe('the type of a field', () => {
  it.each([
    [{ type: 'string' }, 'string'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, 'integer | null'],
    [{ enum: ['reader', 'writer'] }, '"reader" | "writer"'],
    [{ const: 1 }, '1'],
    [{ type: 'array', items: { type: 'string' } }, 'string[]'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, '("a" | "b")[]'],
    [{ type: 'array' }, 'unknown[]'],
    [{ type: 'object', properties: { a: { type: ['string', 'null'] } } }, '{a?: string | null}'],
    [{ type: 'array', items: { properties: { a: { type: ['string', 'null'] } }, required: ['a'] } }, '{a: string | null}[]'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, 'Record<string, number>'],
    [{ type: 'object' }, 'object'],
    [{}, 'unknown'],
    [true, 'unknown'],
  ])('of %j is %s', (schema, type) => {
    expect(new ResultShapes([]).type(schema)).toBe(type)
  })
})

describe('records that several results hold', () => {
  const record = (...fields: readonly string[]) => ({
    properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])),
    required: fields,
  })
  const issue = record('id', 'title', 'url', 'state')
  const person = { anyOf: [{ ...record('id', 'name', 'email'), description: 'Who.' }, { type: 'null' }] }
  const outputs = [
    { properties: { issue, assignee: person } },
    { properties: { issues: { type: 'array', items: issue }, lead: person, parent: record('id', 'title', 'url') } },
    { properties: { parent: record('id', 'title', 'url'), label: record('id', 'name'), page: record('more', 'cursor') } },
    { properties: { tag: record('id', 'name'), page: record('more', 'cursor') } },
  ]
  const shapes = new ResultShapes(outputs, { Person: ['assignee', 'lead'], Issue: ['parent'] })

  it('are named after the fields that hold them and written once', () => {
    expect(shapes.sections().map((section) => section.split('\n')[0])).toEqual(['### Issue', '### IssueSummary', '### Page', '### Person'])
    expect(shapes.type(outputs[0])).toBe('{issue?: Issue, assignee?: Person | null}')
    expect(shapes.type(outputs[1])).toBe('{issues?: Issue[], lead?: Person | null, parent?: IssueSummary}')
  })

  it('are linked from a result that is one of them', () => {
    expect(shapes.result(outputs[1] ?? {})).toMatch(/^```text\nissues\?: Issue\[\]/)
    const whole = record('a', 'b', 'c', 'd', 'e', 'f')
    expect(new ResultShapes([whole, whole]).result(whole)).toBe('Result: [Result](#result).')
  })

  it('are written where they occur when they are small and their fields suggest several names', () => {
    expect(shapes.type(outputs[3])).toContain('tag?: {id, name}')
  })
})
