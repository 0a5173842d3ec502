import { describe, expect, it } from 'vitest'
import { toolTable } from './readme.ts'
import { referencePage } from './tool-reference.ts'
import type { ListedTool } from './listing.ts'

const definition = { name: 'file-storage', title: 'File storage', prefix: 'FileStorage' }
const share: ListedTool = {
  name: 'ShareFile',
  title: 'Share a file',
  description: 'Shares it.',
  effect: 'create',
  canRead: false,
  scopes: ['drive.file', 'drive'],
  inputSchema: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Where it is | or its id.' },
      role: { type: 'string', enum: ['reader', 'writer'], description: 'What may be done.\n\nAt least reading.' },
      mode: { type: 'string', const: 'link', description: 'How.' },
      emails: { type: 'array', items: { type: 'string' } },
      expires: { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'When.' },
      anything: { description: 'Anything.' },
    },
    required: ['path'],
  },
  outputSchema: {
    type: 'object',
    properties: {
      shared: {
        type: 'array',
        items: { type: 'object', properties: { id: { type: 'string', description: 'Its id.' } }, required: ['id'] },
      },
      file: { type: 'object', properties: { name: { type: 'string' } } },
    },
    required: ['shared'],
  },
  annotations: { destructiveHint: true },
}
const read: ListedTool = {
  ...share,
  name: 'WhoAmI',
  title: 'Who am I',
  effect: 'read',
  scopes: [],
  inputSchema: {},
  outputSchema: {},
  annotations: {},
}
const remove: ListedTool = { ...read, name: 'Delete', title: 'Delete', effect: 'delete', annotations: { destructiveHint: true } }

describe('the table of tools', () => {
  it('has a row per tool, with its effect and a link to its section', () => {
    expect(toolTable(definition, [share, read, remove]).split('\n')).toEqual([
      '| Tool | What it does | Effect |',
      '| --- | --- | --- |',
      '| [`FileStorage.ShareFile`](../../docs/tools/file-storage.md#filestoragesharefile) | Share a file | create, may destroy |',
      '| [`FileStorage.WhoAmI`](../../docs/tools/file-storage.md#filestoragewhoami) | Who am I | read |',
      '| [`FileStorage.Delete`](../../docs/tools/file-storage.md#filestoragedelete) | Delete | delete |',
    ])
  })
})

describe('the reference page', () => {
  const lines = referencePage(definition, [share, read]).split('\n')

  it('has a section per tool, with its effect and scopes', () => {
    expect(lines.filter((line) => line.startsWith('#'))).toEqual([
      '# File storage: tools',
      '## FileStorage.ShareFile',
      '## FileStorage.WhoAmI',
    ])
    expect(lines).toContain('Shares it.')
    expect(lines.filter((line) => line.startsWith('Effect'))).toEqual([
      'Effect: create, may destroy. Scopes: drive.file, drive.',
      'Effect: read.',
    ])
  })

  it.each([
    '| Parameter | Type | Required | Meaning |',
    '| `path` | string | yes | Where it is \\| or its id. |',
    '| `role` | `reader` or `writer` | no | What may be done. At least reading. |',
    '| `mode` | `link` | no | How. |',
    '| `emails` | list of string | no |  |',
    '| `expires` | string or null | no | When. |',
    '| `anything` | any | no | Anything. |',
    '| Result | Type | Always | Meaning |',
    '| `shared` | list of object | yes |  |',
    '| `shared[].id` | string | yes | Its id. |',
    '| `file` | object | no |  |',
    '| `file.name` | string | no |  |',
  ])('says of a field: %s', (row) => {
    expect(lines).toContain(row)
  })

  it('has no table where there is nothing to tell', () => {
    expect(lines.slice(lines.indexOf('## FileStorage.WhoAmI')).filter((line) => line.startsWith('|'))).toEqual([])
  })
})
