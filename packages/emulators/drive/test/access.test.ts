import { covers } from './covers.ts'
import { dig, textAt } from '@mcp-toolkits/emulator/testing'
import { describe, expect, it } from 'vitest'
import { driveError } from '../src/index.ts'
import { allDrives, connected, folderType } from './connected.ts'

describe('access', () => {
  it('rejects a missing, unknown or expired token', covers('access/token'), async () => {
    const { ask, expire, refusal } = connected()
    expect(await refusal('GET /files', { token: null })).toEqual([401, 'required'])
    const { status, body } = await ask('GET /files', { token: 'nobody' })
    expect([status, body]).toMatchObject([
      401,
      { error: { code: 401, status: 'UNAUTHENTICATED', errors: [{ reason: 'authError', location: 'Authorization' }] } },
    ])
    expect(await refusal('GET /files', { headers: { authorization: 'drive-emulator' }, token: null })).toEqual([401, 'authError'])
    expire()
    expect(await refusal('GET /files')).toEqual([401, 'authError'])
  })

  it('requires the scope of each method', covers('access/scopes'), async () => {
    const tokens = { reading: ['drive.readonly'], app: ['https://www.googleapis.com/auth/drive.file'], other: ['openid'] }
    const { ask, refusal, get } = connected({ tokens })
    const missing = [403, 'insufficientPermissions']
    const { body } = await ask('GET /drives', { token: 'app' })
    expect(body).toMatchObject({ error: { status: 'PERMISSION_DENIED', details: [{ reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT' }] } })
    expect(await refusal('GET /drives', { token: 'app' })).toEqual(missing)
    expect(await refusal('POST /files', { token: 'reading', body: {} })).toEqual(missing)
    expect(await refusal('GET /files/generateIds', { token: 'reading' })).toEqual(missing)
    expect(await refusal('DELETE /files/trash', { token: 'app' })).toEqual(missing)
    expect(await refusal('GET /about', { token: 'other', query: { fields: 'user' } })).toEqual(missing)
    await get('GET /drives', { token: 'reading' })
    await get('GET /files/generateIds', { token: 'app' })
    await get('GET /about', { token: 'app', query: { fields: 'user' } })
  })

  it('shows only created and granted items under drive.file', covers('access/drive-file', 'access/drive-file-folders'), async () => {
    const { names, get, refusal, one, shareWithApp } = connected({ scopes: ['drive.file'] })
    expect(await names('trashed = false')).toEqual([])
    expect(await refusal(`GET /files/${one('Plans').id}`)).toEqual([404, 'notFound'])
    shareWithApp(one('Summer 2026').id, one('Escalation.md').id)
    expect(await names('trashed = false')).toEqual(['Summer 2026'])
    expect(await names('trashed = false', { ...allDrives, corpora: 'allDrives' })).toEqual(['Escalation.md', 'Summer 2026'])
    // Access to a folder does not include its contents.
    expect(await names(`'${one('Summer 2026').id}' in parents`)).toEqual([])
    const made = await get('POST /files', { query: { fields: 'id,parents' }, body: { name: 'mine', parents: [one('Summer 2026').id] } })
    expect(made).toMatchObject({ parents: [one('Summer 2026').id] })
    expect(await names(`'${one('Summer 2026').id}' in parents`)).toEqual(['mine'])
    expect(await refusal('POST /files', { body: { name: 'x', parents: [one('Plans').id] } })).toEqual([404, 'notFound'])
  })

  it('hides the root and other parents under drive.file', covers('access/drive-file-root'), async () => {
    const { get, refusal, one, shareWithApp } = connected({ scopes: ['drive.file'] })
    shareWithApp(one('lake.png').id)
    expect(await refusal('GET /files/root')).toEqual([404, 'notFound'])
    const fields = 'files(name,parents)'
    const { files } = await get('GET /files', { query: { fields } })
    expect(files).toEqual([{ name: 'lake.png' }])
    expect(await refusal('GET /files', { query: { q: `'${one('Summer 2026').id}' in parents` } })).toEqual([404, 'notFound'])
    expect(await refusal('GET /files', { query: { q: `'${one('Plans').parentId ?? ''}' in parents` } })).toEqual([404, 'notFound'])
  })

  it('allows no more writes with drive.readonly beside drive.file', covers('access/drive-file-and-readonly'), async () => {
    const { get, refusal, one, shareWithApp, store } = connected({ scopes: ['drive.readonly', 'drive.file'] })
    const { id, parentId } = one('lake.png')
    expect(await get(`GET /files/${id}`, { query: { fields: 'name' } })).toEqual({ name: 'lake.png' })
    const refused = [403, 'appNotAuthorizedToFile']
    const share = { type: 'user', role: 'reader', emailAddress: 'priya.nair@lodestar.example' }
    expect(await refusal(`PATCH /files/${id}`, { body: { name: 'x' } })).toEqual(refused)
    expect(await refusal(`DELETE /files/${id}`)).toEqual(refused)
    expect(await refusal(`POST /files/${id}/permissions`, { body: share })).toEqual(refused)
    expect(await refusal('POST /files', { body: { name: 'x', parents: [parentId] } })).toEqual(refused)
    expect(await refusal('PATCH /files/nope', { body: {} })).toEqual([404, 'notFound'])
    expect(store.mutations()).toEqual([])
    shareWithApp(id)
    await get(`PATCH /files/${id}`, { body: { name: 'pond.png' } })
    await get('POST /files', { body: { name: 'mine', parents: [one('My Drive').id] } })
  })

  it('lets an app with drive.file add items to the root and find them', covers('access/drive-file-root-as-parent'), async () => {
    const { get, names } = connected({ scopes: ['drive.file'] })
    const query = { fields: 'id,parents' }
    const folder = await get('POST /files', { query, body: { name: 'App', mimeType: folderType } })
    expect(folder).not.toHaveProperty('parents')
    const inner = await get('POST /files', { query, body: { name: 'inner', parents: [textAt(folder, 'id')] } })
    expect(inner).toMatchObject({ parents: [folder['id']] })
    expect(await names("'root' in parents")).toEqual(['App'])
    const path = `/files/${textAt(inner, 'id')}`
    await get(`PATCH ${path}`, { query: { addParents: 'root', removeParents: textAt(folder, 'id') } })
    expect(await names("'root' in parents")).toEqual(['App', 'inner'])
    await get(`PATCH ${path}`, { query: { addParents: textAt(folder, 'id'), removeParents: 'root' } })
    expect(await names("'root' in parents")).toEqual(['App'])
  })

  it('requires the resource key of an old shared link', covers('access/resource-keys'), async () => {
    const { get, refusal, one, names } = connected()
    const { id, resourceKey } = one('Old price list.csv')
    expect(await refusal(`GET /files/${id}`)).toEqual([404, 'notFound'])
    const headers = { 'x-goog-drive-resource-keys': `other/x,${id}/${String(resourceKey)}` }
    expect(await get(`GET /files/${id}`, { headers, query: { fields: 'name,resourceKey' } })).toEqual({
      name: 'Old price list.csv',
      resourceKey,
    })
    expect(await names("name contains 'old price'")).toEqual([])
  })

  it('counts quota units', covers('access/quota-units'), async () => {
    const { get, ask, one, store, reset } = connected()
    const { id } = one('lake.png')
    await get('GET /files')
    await get(`GET /files/${id}`)
    await get('POST /files', { body: {} })
    await get('GET /files/generateIds')
    await ask('GET /files/nope')
    expect([store.units(), store.unitsByMethod()]).toEqual([
      165,
      {
        'files.list': { calls: 1, units: 100 },
        'files.get': { calls: 2, units: 10 },
        'files.create': { calls: 1, units: 50 },
        'files.generateIds': { calls: 1, units: 5 },
      },
    ])
    reset()
    expect(store.units()).toBe(0)
  })
})

describe('a reset', () => {
  it('restores expired tokens and the quirks of the options', async () => {
    const { ask, expire, quirks, reset } = connected({ tokens: { second: ['drive'] }, quirks: { partialChunks: 2 } })
    expire()
    expire('second')
    Object.assign(quirks, { newerErrors: true, partialChunks: 0 })
    reset()
    const { status, body } = await ask('GET /files/nope')
    expect([status, dig(body, 'error.errors.0.reason'), quirks.partialChunks]).toEqual([404, 'notFound', 2])
    expect((await ask('GET /files', { token: 'second' })).status).toBe(200)
  })
})

describe('an error', () => {
  it("has both of Google's formats", covers('access/error-forms', 'access/other-reasons'), async () => {
    const { ask, quirks } = connected()
    const old = await ask('GET /files/nope')
    expect(old.body).toEqual({
      error: {
        code: 404,
        message: 'File not found: nope.',
        errors: [{ message: 'File not found: nope.', domain: 'global', reason: 'notFound', location: 'fileId', locationType: 'parameter' }],
      },
    })
    quirks.newerErrors = true
    const newer = await ask('GET /files/nope')
    expect([newer.status, newer.body]).toMatchObject([
      404,
      { error: { code: 404, status: 'NOT_FOUND', details: [{ reason: 'NOT_FOUND' }] } },
    ])
    expect(dig(newer.body, 'error.errors')).toBeUndefined()
  })

  it('can be injected as a fault', covers('access/rate-limits'), async () => {
    const { refusal, faults, ask } = connected()
    faults.add({ action: { kind: 'status', ...driveError(403, 'userRateLimitExceeded'), retry_after: 1 } })
    faults.add({ action: { kind: 'status', ...driveError(429, 'rateLimitExceeded', { newer: true, message: 'Slow down' }) } })
    expect(await refusal('GET /files')).toEqual([403, 'userRateLimitExceeded'])
    const { status, body } = await ask('GET /files')
    expect([status, body]).toMatchObject([
      429,
      { error: { message: 'Slow down', status: 'RESOURCE_EXHAUSTED', details: [{ reason: 'RATE_LIMIT_EXCEEDED' }] } },
    ])
  })

  it(
    'answers unknown paths with 404 in the form of an error, and names a method that is not emulated',
    covers('access/unknown-paths', 'access/absent-methods', 'access/version-2'),
    async () => {
      const { refusal, ask } = connected()
      for (const call of ['GET /nope', 'PUT /files', 'GET /other/path', 'GET /files/../trash', 'POST /files/a/permissions/b']) {
        expect([call, await refusal(call)]).toEqual([call, [404, 'notFound']])
      }
      for (const id of ['trash', '%2E%2E']) expect([id, await refusal(`GET /files/${id}`)]).toEqual([id, [404, 'notFound']])
      for (const [call, name] of [
        ['POST /teamdrives', 'teamdrives.create'],
        ['POST /files/root/download', 'files.download'],
        ['GET /operations/a', 'operations.get'],
        ['GET /files/generateCseToken', 'files.generateCseToken'],
        ['POST /files/a/approvals/b:cancel', 'approvals.cancel'],
        ['POST /files/a/approvals:start', 'approvals.start'],
      ] as const) {
        const { status, body } = await ask(call)
        expect([call, status, dig(body, 'error.errors.0.reason')]).toEqual([call, 501, 'notImplemented'])
        expect(dig(body, 'error.message')).toContain(`Not emulated: ${name}. `)
      }
      for (const call of ['GET /drive/v2/files', 'POST /upload/drive/v2/files'])
        expect([call, await refusal(call)]).toEqual([call, [501, 'notImplemented']])
    },
  )

  it('rejects flags other than true and false', covers('access/flags'), async () => {
    const { refusal } = connected()
    expect(await refusal('GET /files', { query: { supportsAllDrives: 'yes', includeItemsFromAllDrives: 'true' } })).toEqual([
      400,
      'invalidParameter',
    ])
  })
})
