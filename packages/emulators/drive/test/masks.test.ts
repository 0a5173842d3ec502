import { covers } from './covers.ts'
import { dig } from '@mcp-toolkits/emulator/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aboutShape, fileShape, fileListShape, defineShape, type FieldShape, applyMask, parseMask } from '../src/http/field-masks.ts'
import { connected, rowsIn } from './connected.ts'
import { runs } from '../../../testing/src/runs.ts'

describe('a mask', () => {
  it('defaults to four fields', covers('lists/default-fields'), async () => {
    const { get, one } = connected()
    const plan = one('Launch plan')
    const usual = { kind: 'drive#file', id: plan.id, name: 'Launch plan', mimeType: 'application/vnd.google-apps.document' }
    expect(await get(`GET /files/${plan.id}`)).toEqual(usual)
    expect(await get(`GET /files/${plan.id}`, { query: { fields: '' } })).toEqual(usual)
    expect(await get('GET /files', { query: { q: "name = 'Launch plan'" } })).toEqual({
      kind: 'drive#fileList',
      incompleteSearch: false,
      files: [usual],
    })
    const permissions = await get(`GET /files/${plan.id}/permissions`)
    expect(Object.keys(rowsIn(permissions['permissions'])[0] ?? {})).toEqual(['kind', 'id', 'type', 'role'])
    expect(Object.keys(rowsIn((await get('GET /drives'))['drives'])[0] ?? {})).toEqual(['kind', 'id', 'name'])
  })

  it('supports paths, parentheses, stars and blanks', covers('lists/fields-grammar', 'lists/fields-blanks'), async () => {
    const { get, one } = connected()
    const plan = one('Launch plan')
    const at = `GET /files/${plan.id}`
    expect(await get(at, { query: { fields: 'name,owners/emailAddress,owners(me)' } })).toEqual({
      name: 'Launch plan',
      owners: [{ emailAddress: 'robin.vance@lodestar.example', me: true }],
    })
    expect(await get(at, { query: { fields: 'capabilities(canEdit,canShare)' } })).toEqual({
      capabilities: { canEdit: true, canShare: true },
    })
    const all = await get(at, { query: { fields: '*' } })
    expect(all).toMatchObject({ name: 'Launch plan', parents: [plan.parentId], capabilities: { canTrash: true } })
    const list = await get('GET /files', { query: { q: "name = 'Launch plan'", fields: 'files(id,owners/me),kind' } })
    expect(list).toEqual({ kind: 'drive#fileList', files: [{ id: plan.id, owners: [{ me: true }] }] })
    const spaced = { q: "name = 'Launch plan'", fields: ' nextPageToken, files( id, owners / me ) ' }
    expect(await get('GET /files', { query: spaced })).toEqual({ files: list['files'] })
    const star = await get('GET /files', { query: { q: "name = 'Launch plan'", fields: 'files/*' } })
    expect(star).toEqual({ files: [all] })
    expect(await get('GET /files', { query: { fields: 'nextPageToken' } })).toEqual({})
  })

  it.each([
    'nope',
    'name,',
    ',name',
    'name nope',
    'owners(',
    'owners()',
    'owners(me',
    'owners)',
    'name/x',
    'owners/nope',
    'id(name)',
    '*(id)',
    'constructor',
  ])('refuses fields that do not exist: %s', covers('lists/unknown-fields'), async (fields) => {
    const { ask } = connected({ seed: 'empty' })
    for (const call of ['GET /files/root', 'GET /about', 'POST /files', 'GET /files']) {
      const { status, body } = await ask(call, { query: { fields } })
      expect([status, body]).toMatchObject([400, { error: { errors: [{ reason: 'invalidParameter', location: 'fields' }] } }])
    }
  })

  it('is required for about', covers('lists/about'), async () => {
    const { refusal, get } = connected()
    expect(await refusal('GET /about')).toEqual([400, 'required'])
    expect(await get('GET /about', { query: { fields: 'user/displayName' } })).toEqual({ user: { displayName: 'Robin Vance' } })
  })

  it('selects exactly the named fields of every resource', covers('lists/fields-selection'), () => {
    for (const resource of [fileShape, fileListShape, aboutShape, defineShape('a b', { c: defineShape('d', { e: defineShape('f') }) })]) {
      fc.assert(
        fc.property(fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (numbers) => {
          const draw = () => Number(numbers.next().value)
          const chosen = choose(resource, draw)
          const whole = sample(resource)
          const text = written(chosen)
          expect(applyMask(whole, parseMask(text, resource))).toEqual(expected(whole, chosen))
        }),
        { numRuns: runs(60) },
      )
    }
  })
})

/** A choice of fields, each taken as a whole or only with the fields chosen in it. */
interface Choice {
  readonly [field: string]: Choice | 'all'
}

function choose(resource: FieldShape, draw: () => number): Choice {
  const fields = Object.keys(resource)
  const picked = fields.filter(() => draw() < 0.3)
  const some = picked.length > 0 ? picked : fields.slice(0, 1)
  return Object.fromEntries(
    some.map((field): [string, Choice | 'all'] => {
      const part = resource[field] ?? {}
      return [field, Object.keys(part).length > 0 && draw() < 0.6 ? choose(part, draw) : 'all']
    }),
  )
}

/** The choice as text; a slash precedes a single nested field. */
function written(choice: Choice): string {
  return Object.entries(choice)
    .map(([field, inner]) => {
      if (inner === 'all') return field
      const text = written(inner)
      return text.includes(',') ? `${field}(${text})` : `${field}/${text}`
    })
    .join(',')
}

/** A value with every field; a field with parts is a list if its name is a plural. */
function sample(resource: FieldShape): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(resource).map(([field, part]): [string, unknown] => {
      if (Object.keys(part).length === 0) return [field, `${field}!`]
      return [field, field.endsWith('s') ? [sample(part), sample(part)] : sample(part)]
    }),
  )
}

function expected(value: unknown, choice: Choice | 'all'): unknown {
  if (choice === 'all') return value
  if (Array.isArray(value)) return value.map((element) => expected(element, choice))
  return Object.fromEntries(Object.entries(choice).map(([field, inner]): [string, unknown] => [field, expected(dig(value, field), inner)]))
}
