import { textAt } from '@mcp-toolkits/emulator/testing'
import { describe, expect, it } from 'vitest'
import { connected, rowsIn } from './connected.ts'
import { covers } from './covers.ts'

const fields = '*'
const priya = 'priya.nair@lodestar.example'

/** A file that Priya may comment on, and her token. */
async function commented() {
  const emulator = connected({ seed: 'company' })
  const { get, login, refusal } = emulator
  const { id } = await get('POST /files', { body: { name: 'Draft.txt' } })
  const fileId = String(id)
  await get(`POST /files/${fileId}/permissions`, { body: { type: 'user', role: 'commenter', emailAddress: priya } })
  const { accessToken: token } = await login(priya)
  const add = async (content: string, request: { token?: string } = {}) =>
    textAt(await get(`POST /files/${fileId}/comments`, { query: { fields: 'id' }, body: { content }, ...request }), 'id')
  const list = async (query: Record<string, string | boolean> = {}) =>
    rowsIn((await get(`GET /files/${fileId}/comments`, { query: { fields, ...query } }))['comments'])
  return { ...emulator, refusal, fileId, token, add, list }
}

describe('comments', () => {
  it('requires fields, except for delete', covers('comments/fields'), async () => {
    const { fileId, refusal, add, ask } = await commented()
    expect(await refusal(`GET /files/${fileId}/comments`)).toEqual([400, 'required'])
    expect(await refusal(`POST /files/${fileId}/comments`, { body: { content: 'x' } })).toEqual([400, 'required'])
    const id = await add('x')
    expect(await refusal(`GET /files/${fileId}/comments/${id}`)).toEqual([400, 'required'])
    expect((await ask(`DELETE /files/${fileId}/comments/${id}`)).status).toBe(204)
  })

  it('lets commenters comment, and readers read', covers('comments/roles', 'comments/authors'), async () => {
    const { fileId, token, add, get, refusal, list, one } = await commented()
    const hers = await add('Is <this> it?', { token })
    expect(await list()).toMatchObject([
      {
        id: hers,
        content: 'Is <this> it?',
        htmlContent: 'Is &lt;this&gt; it?',
        author: { displayName: 'Priya Nair', me: false },
        replies: [],
      },
    ])
    expect(await refusal(`PATCH /files/${fileId}/comments/${hers}`, { query: { fields }, body: { content: 'No' } })).toEqual([
      403,
      'insufficientFilePermissions',
    ])
    await get(`PATCH /files/${fileId}/comments/${hers}`, { query: { fields }, body: { content: 'It is' }, token })
    expect(await list()).toMatchObject([{ content: 'It is' }])
    const { id: permissionId } = await get(`POST /files/${fileId}/permissions`, {
      body: { type: 'user', role: 'reader', emailAddress: priya },
    })
    await get(`PATCH /files/${fileId}/permissions/${String(permissionId)}`, { body: { role: 'reader' } })
    expect(await refusal(`POST /files/${fileId}/comments`, { query: { fields }, body: { content: 'More' }, token })).toEqual([
      403,
      'insufficientFilePermissions',
    ])
    expect(await list()).toHaveLength(1)
    expect(one('Draft.txt').id).toBe(fileId)
  })

  it('resolves and reopens by replies', covers('comments/replies'), async () => {
    const { fileId, add, get, refusal, list } = await commented()
    const id = await add('Open question')
    const path = `/files/${fileId}/comments/${id}/replies`
    const reply = textAt(await get(`POST ${path}`, { query: { fields: 'id' }, body: { content: 'Answer' } }), 'id')
    await get(`POST ${path}`, { query: { fields }, body: { action: 'resolve' } })
    expect(await list()).toMatchObject([
      {
        resolved: true,
        replies: [
          { id: reply, content: 'Answer' },
          { action: 'resolve', content: '' },
        ],
      },
    ])
    await get(`POST ${path}`, { query: { fields }, body: { action: 'reopen', content: 'Wait' } })
    expect(await list()).toMatchObject([{ resolved: false }])
    await get(`PATCH ${path}/${reply}`, { query: { fields }, body: { content: 'Better answer' } })
    expect(await get(`GET ${path}/${reply}`, { query: { fields: 'content' } })).toEqual({ content: 'Better answer' })
    expect(rowsIn((await get(`GET ${path}`, { query: { fields } }))['replies'])).toHaveLength(3)
    expect(await refusal(`POST ${path}`, { query: { fields }, body: { action: 'close' } })).toEqual([400, 'invalid'])
    expect(await refusal(`POST ${path}`, { query: { fields }, body: {} })).toEqual([400, 'required'])
  })

  it('lists what changed last first, and deleted ones on request', covers('comments/order', 'comments/deleted'), async () => {
    const { fileId, add, get, pass, list, refusal } = await commented()
    const [first, second] = [await add('First'), await add('Second')]
    pass(60_000)
    await get(`POST /files/${fileId}/comments/${first}/replies`, { query: { fields }, body: { content: 'Yes' } })
    expect((await list()).map(({ id }) => id)).toEqual([first, second])
    expect(await list({ startModifiedTime: '2026-09-16T12:00:30Z' })).toHaveLength(1)
    await get(`DELETE /files/${fileId}/comments/${first}`)
    expect((await list()).map(({ id }) => id)).toEqual([second])
    const [deleted] = await list({ includeDeleted: true })
    expect([deleted?.['deleted'], deleted?.['content']]).toEqual([true, undefined])
    expect(await refusal(`GET /files/${fileId}/comments/${first}`, { query: { fields } })).toEqual([404, 'notFound'])
    const { nextPageToken } = await get(`GET /files/${fileId}/comments`, { query: { fields, pageSize: 1, includeDeleted: true } })
    expect(nextPageToken).toMatch(/./)
  })
})
