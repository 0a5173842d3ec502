import path from 'node:path'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { SeedError, seedText, seedTime } from '../src/index.ts'
import { readSeedFile } from '../src/seed/files.ts'
import { temporaryFile } from '../src/testing.ts'

const schema = z.strictObject({ bread: z.array(z.strictObject({ name: z.string(), loaves: z.int() })) })
type Bread = z.infer<typeof schema>

/** Refuses a second loaf with the same name, as a loader does. */
function load(_store: unknown, { bread }: Bread): void {
  for (const [index, { name }] of bread.entries())
    if (bread.findIndex((each) => each.name === name) < index)
      throw new SeedError(['bread', index, 'name'], `there is already a bread called ${JSON.stringify(name)}.`)
}

const read = async (text: string, name = 'seed.yaml') => {
  using file = temporaryFile(name, text)
  return await readSeedFile(file.file, { schema, migrations: [], load })
}

describe('a seed file', () => {
  it.for([
    ['YAML', 'seed.yaml', 'bread:\n  - name: rye\n    loaves: 2\n'],
    ['YAML in braces', 'seed.yml', '{bread: [{name: rye, loaves: 2}]}'],
    ['JSON with tabs', 'seed.json', '{\n\t"bread": [\n\t\t{ "name": "rye", "loaves": 2 }\n\t]\n}\n'],
    ['a byte order mark', 'seed.yaml', '\uFEFFbread: [{name: rye, loaves: 2}]'],
    ['an anchor', 'seed.yaml', 'bread: [&a {name: rye, loaves: 2}]'],
  ])('can be %s', async ([, name = '', text = '']) => {
    expect(await read(text, name)).toEqual({ bread: [{ name: 'rye', loaves: 2 }] })
  })

  it.for([
    ['no YAML', 'bread:\n- a\n  b: 1\n', /^seed\.yaml, line 3: this is not YAML \(.+\)\.$/],
    ['a key twice', 'bread: []\nbread: []\n', /^seed\.yaml, line 2: this is not YAML \(duplicated mapping key\)\.$/],
    ['nothing', '', /^seed\.yaml, line 1: this is not YAML \(expected a document, but the input is empty\)\.$/],
    ['a list', '- bread\n', /^seed\.yaml, line 1: Invalid input: expected object, received array\.$/],
    ['another key', 'bread: []\ncake: 1\n', /^seed\.yaml, line 1: Unrecognized key: "cake"\.$/],
    [
      'a missing key',
      'bread:\n  - loaves: 1\n',
      /^seed\.yaml, line 2: bread\[0\]\.name: Invalid input: expected string, received undefined\.$/,
    ],
    [
      'a wrong type',
      'bread:\n  - name: rye\n    loaves: "2"\n',
      /^seed\.yaml, line 3: bread\[0\]\.loaves: Invalid input: expected number, received string\.$/,
    ],
    ['several problems', 'bread:\n  - name: 1\n    loaves: x\n', /^seed\.yaml, line 2: bread\[0\]\.name: .+ \(and 1 more\)\.$/],
    [
      'what cannot be loaded',
      'bread:\n  - {name: rye, loaves: 1}\n  - {loaves: 1, name: rye}\n',
      /^seed\.yaml, line 3: bread\[1\]\.name: there is already a bread called "rye"\.$/,
    ],
  ] as const)('with %s says where and what', async ([, text, message]) => {
    await expect(read(text)).rejects.toThrow(message)
    await expect(read(text)).rejects.toMatchObject({ code: 'ERR_STORE', problem: 'seed' })
  })

  it('that is not there is named with its path', async () => {
    await expect(readSeedFile('/nowhere/seed.yaml', { schema, migrations: [], load })).rejects.toThrow(
      'The seed /nowhere/seed.yaml cannot be read (ENOENT).',
    )
  })

  it.for([
    ['companny', ' Did you mean company?'],
    ['Edge', ' Did you mean edge-cases?'],
    ['emtpy', ' Did you mean empty?'],
    ['acme', ''],
  ] as const)('of the name %s, which there is not, names the built-in ones%s', async ([name, meant]) => {
    await expect(readSeedFile(name, { schema, migrations: [], load })).rejects.toThrow(
      new SeedError(
        [],
        `There is no seed "${name}", and no file ${path.resolve(name)}.${meant} Give company, edge-cases or empty, or the path of a YAML or JSON file.`,
      ),
    )
  })

  it.for(['seed.yml', 'seed.json', './companny', 'seeds/companny'])('%s does not exist and is named with its path', async (file) => {
    await expect(readSeedFile(file, { schema, migrations: [], load })).rejects.toThrow(
      `The seed ${path.resolve(file)} cannot be read (ENOENT).`,
    )
  })
})

const now = Date.parse('2026-11-23T18:00:00Z')

describe('a time', () => {
  it.for([
    [3, '2026-11-20T18:00:00.000Z'],
    [0.5, '2026-11-23T06:00:00.000Z'],
    [-21, '2026-12-14T18:00:00.000Z'],
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T09:30:00+01:00', '2026-01-31T08:30:00.000Z'],
    ['{{date 9}}T09:12:00Z', '2026-11-14T09:12:00.000Z'],
  ] as const)('%j is %s', ([time, expected]) => {
    expect(seedTime(time, now, [])).toBe(expected)
  })

  it('that is neither a date nor a number is refused, with its place', () => {
    expect(() => seedTime('soon', now, ['issues', 3, 'due'])).toThrow(
      'issues[3].due: "soon" is neither a number of days ago nor a time in ISO 8601.',
    )
  })

  it('in a text follows the clock', () => {
    expect(seedText('From {{day 23}} to {{day -21}}, in short {{date -21}}; {{other}} stays.', now)).toBe(
      'From 31 October 2026 to 14 December 2026, in short 2026-12-14; {{other}} stays.',
    )
  })
})
