import { Message, sentence } from '@mcp-toolkits/core/errors'
import { describe, expect, it } from 'vitest'
import type { ListedTool, Settings } from '../definition.ts'
import { withoutPrefix, listing, toolListProblem } from './listing.ts'

const tool = (name: string, more: Partial<ListedTool> = {}): ListedTool => ({
  name,
  title: `Title of ${name}`,
  description: `Description of ${name}.`,
  effect: 'read',
  canRead: true,
  scopes: [],
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  outputSchema: { type: 'object', properties: {} },
  annotations: { readOnlyHint: true },
  ...more,
})

const listedTools = [
  tool('ListFiles'),
  tool('GetFile'),
  tool('Share', { effect: 'update', canRead: true }),
  tool('UploadFile', { effect: 'create', canRead: false }),
  tool('Picker', { aliases: ['GooglePicker'] }),
]
const definition = { prefix: 'Files', listedTools }

const open = (settings: Partial<Settings> = {}, more: Partial<typeof definition> = {}) =>
  listing({ ...definition, ...more }, { readOnly: false, toolNames: 'safe', ...settings })
const names = (settings: Partial<Settings>) => open(settings).tools.map(({ name }) => name)

describe('names', () => {
  it('are safe by default or canonical, with the canonical name in _meta either way', () => {
    expect(names({})).toEqual(['Files_ListFiles', 'Files_GetFile', 'Files_Share', 'Files_UploadFile', 'Files_Picker'])
    expect(names({ toolNames: 'canonical' })[0]).toBe('Files.ListFiles')
    for (const toolNames of ['safe', 'canonical'] as const)
      expect(open({ toolNames }).tools.map(({ _meta }) => _meta['mcp-toolkits/name'])).toEqual(
        listedTools.map(({ name }) => `Files.${name}`),
      )
  })

  it('are listed with everything that a client shows', () => {
    expect(open().tools[0]).toEqual({
      name: 'Files_ListFiles',
      title: 'Title of ListFiles',
      description: 'Description of ListFiles.',
      inputSchema: { type: 'object', properties: {}, additionalProperties: false },
      outputSchema: { type: 'object', properties: {} },
      annotations: { readOnlyHint: true },
      _meta: { 'mcp-toolkits/name': 'Files.ListFiles' },
    })
  })

  it.each([
    ['Files.GetFile', 'GetFile'],
    ['Files_GetFile', 'GetFile'],
    ['Files.GooglePicker', 'Picker'],
    ['Files_GooglePicker', 'Picker'],
    ['GetFile', undefined],
    ['Files.getfile', undefined],
    ['Files.Unknown', undefined],
    ['Other.GetFile', undefined],
    ['Files', undefined],
    ['', undefined],
    ['constructor', undefined],
    ['Files.constructor', undefined],
    ['__proto__', undefined],
    ['toString', undefined],
  ])('%j in a call means %s, however tools are advertised', (name, found) => {
    for (const toolNames of ['safe', 'canonical'] as const) expect(open({ toolNames }).find(name)?.name).toBe(found)
  })

  it('lose their prefix in any spelling', () => {
    expect(['Files.A', 'Files_A', 'A', 'Filesystem.A'].map((name) => withoutPrefix(name, 'Files'))).toEqual(['A', 'A', 'A', 'Filesystem.A'])
  })
})

describe('--tools', () => {
  it.each(['GetFile', 'Files.GetFile', 'Files_GetFile'])('accepts %s', (name) => {
    expect(names({ tools: [name] })).toEqual(['Files_GetFile'])
  })

  it.each(['GooglePicker', 'Files.GooglePicker', 'Files_GooglePicker'])('accepts an earlier name (%s)', (name) => {
    expect(names({ tools: [name] })).toEqual(['Files_Picker'])
  })

  it.each([
    [[], undefined],
    [['GetFile', 'Files.GetFile', 'Files_GetFile', 'GooglePicker', 'Files.GooglePicker', 'Files_GooglePicker'], undefined],
    [['GetFile', 'getfile', 'Files.Unknown'], 'names unknown tools: getfile, Files.Unknown.'],
    [['Files', 'Other.GetFile', 'constructor'], 'names unknown tools: Files, Other.GetFile, constructor.'],
    [['GetFile', ''], 'has an empty name.'],
    [[' '], 'has an empty name.'],
    [['Files.'], 'names unknown tools: Files..'],
  ])('%j: %s', (chosen, problem) => {
    const choice = 'Tools: ListFiles, GetFile, Share, UploadFile, Picker.'
    expect(toolListProblem(definition, chosen)).toBe(problem === undefined ? undefined : `${problem} ${choice}`)
  })

  it('keeps the order of the list and hides the rest', () => {
    const some = open({ tools: ['UploadFile', 'Files.ListFiles', 'Unknown'] })
    expect(some.tools.map(({ name }) => name)).toEqual(['Files_ListFiles', 'Files_UploadFile'])
    expect([some.find('Files.GetFile'), some.spell('Files.GetFile'), some.find('Files.GooglePicker')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe('--read-only', () => {
  it('hides what can only write', () => {
    expect(names({ readOnly: true })).toEqual(['Files_ListFiles', 'Files_GetFile', 'Files_Share', 'Files_Picker'])
    expect(open({ readOnly: true }).find('Files.UploadFile')).toBeUndefined()
  })

  it('can be combined with --tools', () => {
    expect(names({ readOnly: true, tools: ['UploadFile', 'GetFile'] })).toEqual(['Files_GetFile'])
  })
})

describe('a text that mentions tools', () => {
  const mention = (tool: string, rest = '.') => sentence`${{ tool: `Files.${tool}` }}${rest}`

  it('spells them as they are advertised', () => {
    const described = [tool('ListFiles', { description: sentence`Before ${{ tool: 'Files.GetFile' }}.`.toJSON() }), tool('GetFile')]
    expect(open({}, { listedTools: described }).tools[0]?.description).toBe('Before Files_GetFile.')
    expect(open({ toolNames: 'canonical' }, { listedTools: described }).tools[0]?.description).toBe('Before Files.GetFile.')
    expect(['Files.ListFiles', 'Files.GooglePicker', 'Files.Unknown'].map(open().spell)).toEqual([
      'Files_ListFiles',
      'Files_Picker',
      undefined,
    ])
  })

  it('loses the sentences about hidden tools, and no other', () => {
    const description = Message.of('Lists files.', mention('UploadFile', ' adds one.'), mention('GetFile', ' reads one.')).toJSON()
    const described = [tool('ListFiles', { description }), ...listedTools.slice(1)]
    expect(open({ tools: ['ListFiles', 'GetFile'] }, { listedTools: described }).tools[0]?.description).toBe(
      'Lists files. Files_GetFile reads one.',
    )
  })

  it('is not changed when it is a plain text', () => {
    const description = 'No file is named "Files.GetFile". Files.UploadFile adds one.'
    expect(open({ tools: ['ListFiles'] }, { listedTools: [tool('ListFiles', { description })] }).tools[0]?.description).toBe(description)
  })

  it('can be a description anywhere in a schema', () => {
    const text = Message.of('An id.', sentence`From ${{ tool: 'Files.ListFiles' }}.`, sentence`Or from ${{ tool: 'Files.UploadFile' }}.`)
    const schemaWith = (description: unknown) => ({
      type: 'object',
      properties: {
        id: { type: 'string', description },
        description: { anyOf: [{ type: 'array', items: { description } }] },
        plain: { description: 'Plain.' },
      },
      required: ['description'],
    })
    const inputSchema = schemaWith(text.toJSON())
    const [first] = open(
      { tools: ['ListFiles'] },
      { listedTools: [tool('ListFiles', { description: text.toJSON(), inputSchema, outputSchema: inputSchema }), ...listedTools.slice(1)] },
    ).tools
    const rendered = schemaWith('An id. From Files_ListFiles.')
    expect(first).toMatchObject({ description: 'An id. From Files_ListFiles.', inputSchema: rendered, outputSchema: rendered })
  })
})
