import type { Fetch } from '@mcp-toolkits/core/upstream'
import fc from 'fast-check'
import { runs } from '@mcp-toolkits/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { folderType, textAt } from './storage.ts'
import { uploading, type UploadingStorage } from './uploading.ts'

/** Changes that a vendor ignores although it reports success. */
type Ignored = 'name' | 'parents' | 'role'

let ignored: readonly Ignored[] = []

/** A Drive that reports success but carries out only part of a request. */
const careless =
  (drive: Fetch): Fetch =>
  async (input, init) => {
    const request = new Request(input, init)
    const url = new URL(request.url)
    if (ignored.length === 0 || request.method === 'GET') return drive(request, { signal: init?.signal ?? null })
    if (ignored.includes('parents')) for (const name of ['addParents', 'removeParents']) url.searchParams.delete(name)
    const body = ignored.reduce(without, await request.text())
    return drive(url, { method: request.method, headers: request.headers, body, signal: init?.signal ?? null })
  }

const without = (body: string, field: Ignored): string =>
  field === 'role'
    ? body.replace(/"role":"\w+"/, '"role":"reader"')
    : body.replace(new RegExp(`,?"${field}":(?:"[^"]*"|\\[[^\\]]*\\])`), '').replace('{,', '{')

let server: UploadingStorage
const ids = { work: '', archive: '' }
beforeAll(async () => {
  server = await uploading({}, { inFront: careless })
  ids.work = server.emulator.addItem({ name: 'Work', type: folderType })
  ids.archive = server.emulator.addItem({ name: 'Archive', type: folderType })
})
afterAll(async () => server[Symbol.asyncDispose]())

/** One call of each writing tool that changes everything it can, with the parameter of each value. */
const writes = {
  CreateFolder: {
    fields: { name: 'folder_name', parents: 'parent_folder_path_or_id' },
    isNew: true,
    args: () => ({ folder_name: 'New', parent_folder_path_or_id: ids.work }),
  },
  UploadFile: {
    fields: { name: 'file_name', parents: 'destination_folder_path_or_id' },
    isNew: true,
    args: (key: string) => ({
      file_name: 'new.txt',
      source_url: `${server.from.url}?${key}`,
      destination_folder_path_or_id: ids.work,
    }),
  },
  RenameFile: {
    fields: { name: 'new_filename' },
    isNew: false,
    args: (key: string) => ({ file_path_or_id: addFile(key), new_filename: 'New' }),
  },
  MoveFile: {
    fields: { name: 'new_filename', parents: 'destination_folder_path_or_id' },
    isNew: false,
    args: (key: string) => ({
      source_file_path_or_id: addFile(key),
      destination_folder_path_or_id: ids.archive,
      new_filename: 'New',
    }),
  },
} as const satisfies Record<string, unknown>

const addFile = (key: string) => server.emulator.addItem({ name: 'Old', parent: ids.work, key })

const subsets = (fields: readonly string[]) => [[], ...fields.map((field) => [field]), ...(fields.length > 1 ? [[...fields]] : [])]
const matrix = Object.entries(writes).flatMap(([tool, write]) =>
  subsets(Object.keys(write.fields)).map((fields, index) => ({ tool, write, fields, key: `${tool} ${index}` })),
)

test.for(matrix)('$tool claims no change of $fields that Drive ignores', async ({ tool, write, fields, key }) => {
  await checkWrite({ tool, write, fields, key })
})

interface Trial {
  readonly tool: string
  readonly write: (typeof writes)[keyof typeof writes]
  readonly fields: readonly string[]
  readonly key: string
}

/** Makes a call while fields are ignored, and checks that its result matches the store and names the missing part. */
async function checkWrite({ tool, write, fields, key }: Trial): Promise<void> {
  const args = write.args(key)
  const parameters: Readonly<Record<string, string>> = write.fields
  ignored = fields.filter((field) => field === 'name' || field === 'parents')
  try {
    if (!write.isNew && fields.length === Object.keys(write.fields).length) {
      const error = await server.fails(`FileStorage.${tool}`, args)
      expect(error.code).toBe('unavailable')
      for (const field of fields) expect(error.message).toContain(parameters[field])
      return
    }
    const result = await server.call(`FileStorage.${tool}`, args)
    const { folder, file, item, moved, notices = [] } = result
    const said = folder ?? file ?? item
    const stored = server.emulator.store.files().find(({ id }) => id === textAt(said, 'id'))
    expect(said).toMatchObject({ name: stored?.name, parent_id: stored?.parentId })
    if (moved !== undefined) expect(moved).toBe(stored?.parentId === ids.archive)
    const text = String(notices)
    expect(text.includes('did not take effect')).toBe(fields.length > 0)
    for (const field of fields) expect(text).toContain(parameters[field])
  } finally {
    ignored = []
  }
}

test('no write reports a change that the returned record does not show', async () => {
  let count = 0
  const trial = fc.constantFrom(...Object.entries(writes)).chain(([tool, write]) =>
    fc.record({
      tool: fc.constant(tool),
      write: fc.constant(write),
      fields: fc.subarray(Object.keys(write.fields)),
      key: fc.constant('').map(() => `property ${(count += 1)}`),
    }),
  )
  await fc.assert(fc.asyncProperty(trial, checkWrite), { numRuns: runs(200), verbose: true })
})

const share = 'FileStorage.ShareFile'
const someone = 'ada@example.com'

test.for([
  ['a new person', []],
  ['a person with another role', [[someone, 'reader']]],
] as const)('%s does not get a role that Drive ignores', async ([what, grants]) => {
  const id = server.emulator.addItem({ name: 'Plan', grants, key: what })
  ignored = ['role']
  try {
    const args = { file_path_or_id: id, email_addresses: [someone], role: 'writer' }
    const error = await server.fails(share, args)
    expect(error.code).toBe('unavailable')
    expect(error.message).toContain('shows the role "reader", not "writer"')
    const { people } = await server.call(share, { ...args, email_addresses: [someone, 'robin.vance@lodestar.example'] })
    expect(people).toMatchObject([
      { outcome: 'failed', role: 'reader' },
      { outcome: 'unchanged', role: 'owner' },
    ])
  } finally {
    ignored = []
  }
})
