import { hash } from 'node:crypto'
import { expect } from 'vitest'
import { missingToken, openDrive } from './drive.ts'
import { at, listAt, textAt } from './json.ts'
import { questionnaire } from './questions.ts'

const environment = process.env
const question = questionnaire({ server: 'file-storage', environment, missing: missingToken(environment) })

const md5 = (text: string) => hash('md5', text)
const reason = (body: unknown) => at(body, 'error.errors.0.reason')

question(
  {
    number: 1,
    rules: ['revisions/list'],
    question: 'Does `revisions.list` show a new revision immediately, and list it last?',
    emulator: 'yes, with the md5 of each, and the last one is the headRevisionId of the file',
  },
  async () => {
    const { add, write, run } = openDrive(environment)
    const id = await add('1', { text: 'one' })
    for (const text of ['two', 'three']) {
      await write(id, text)
      const found = await run(`drive/v3/files/${id}/revisions?fields=revisions(id,md5Checksum)`)
      expect(at(listAt(found, 'revisions').at(-1), 'md5Checksum')).toBe(md5(text))
      const head = textAt(await run(`drive/v3/files/${id}?fields=headRevisionId`), 'headRevisionId')
      expect(at(listAt(found, 'revisions').at(-1), 'id')).toBe(head)
    }
    const all = await run(`drive/v3/files/${id}/revisions?fields=revisions(md5Checksum)`)
    expect(listAt(all, 'revisions').slice(-3)).toEqual(['one', 'two', 'three'].map((text) => ({ md5Checksum: md5(text) })))
  },
)

question(
  {
    number: 2,
    rules: ['content/resumable-new-content', 'content/resumable-after-end'],
    question: 'Does a late request to a completed upload session change anything?',
    emulator: 'no: it answers with the file, whose content others have replaced meanwhile',
  },
  async () => {
    const { add, write, ask, run } = openDrive(environment)
    const id = await add('2', { text: 'one' })
    const start = await ask(`upload/drive/v3/files/${id}?uploadType=resumable`, {
      method: 'PATCH',
      headers: { 'x-upload-content-type': 'text/plain', 'x-upload-content-length': '3' },
      body: {},
    })
    const session = start.headers.get('location') ?? ''
    const send = async () => ask(session, { method: 'PUT', headers: { 'content-range': 'bytes 0-2/3' }, body: 'two' })
    expect((await send()).status).toBe(200)
    await write(id, 'three')
    const late = await send()
    expect([late.status, at(late.body, 'id')]).toEqual([200, id])
    expect(await run(`drive/v3/files/${id}?alt=media`)).toBe('three')
    const revisions = await run(`drive/v3/files/${id}/revisions?fields=revisions(id)`)
    expect(listAt(revisions, 'revisions').length).toBeLessThanOrEqual(4)
  },
)

question(
  {
    number: 3,
    rules: ['content/no-condition'],
    question: "Does an upload that replaces a file's content ignore `If-Match`?",
    emulator: 'yes: 200, and the content is replaced',
  },
  async () => {
    const { add, ask, run } = openDrive(environment)
    const id = await add('3', { text: 'one' })
    const headers = { 'content-type': 'text/plain', 'if-match': '"another"' }
    const answer = await ask(`upload/drive/v3/files/${id}?uploadType=media`, { method: 'PATCH', headers, body: 'two' })
    expect(answer.status).toBe(200)
    expect(await run(`drive/v3/files/${id}?alt=media`)).toBe('two')
  },
)

question(
  {
    number: 4,
    rules: ['content/range-empty-file'],
    question: 'Does a range request for an empty file get a 416?',
    emulator: 'yes',
  },
  async () => {
    const { add, ask } = openDrive(environment)
    const id = await add('4', { text: '' })
    expect((await ask(`drive/v3/files/${id}?alt=media`, { headers: { range: 'bytes=0-9' } })).status).toBe(416)
  },
)

question(
  {
    number: 5,
    rules: ['files/capabilities'],
    question: 'Does `files.list` return `capabilities` and `headRevisionId`?',
    emulator: 'yes, as files.get does',
  },
  async () => {
    const { add, run } = openDrive(environment)
    const folder = await add('5')
    const id = await add('5-file', { text: 'one', parent: folder })
    const fields = 'id,headRevisionId,capabilities(canDownload,canEdit,canShare)'
    const query = `q=${encodeURIComponent(`'${folder}' in parents`)}&fields=${encodeURIComponent(`files(${fields})`)}`
    const found = await run(`drive/v3/files?${query}`)
    expect(listAt(found, 'files')).toEqual([await run(`drive/v3/files/${id}?fields=${encodeURIComponent(fields)}`)])
    expect(textAt(found, 'files.0.headRevisionId')).not.toBe('')
  },
)

question(
  {
    number: 6,
    rules: ['sharing/create-never-raises'],
    question: 'If a file has a sharing link, is a second one with a higher role ignored?',
    emulator: 'yes: it answers with the permission that was there, and its role stays',
  },
  async () => {
    const { add, run } = openDrive(environment)
    const id = await add('6', { text: 'one' })
    const link = async (role: string) =>
      run(`drive/v3/files/${id}/permissions?fields=id,role`, { method: 'POST', body: { type: 'anyone', role } })
    const first = await link('reader')
    expect(await link('writer')).toEqual(first)
  },
)

question(
  {
    number: 7,
    rules: ['sharing/inherited', 'sharing/inherited-from'],
    question: 'Which `permissionDetails` do items in My Drive have?',
    emulator: 'inherited, without inheritedFrom; and what comes from a folder above cannot be removed: 403 cannotModifyInheritedPermission',
  },
  async () => {
    const { add, ask, run } = openDrive(environment)
    const folder = await add('7')
    const id = await add('7-file', { text: 'one', parent: folder })
    await run(`drive/v3/files/${folder}/permissions`, { method: 'POST', body: { type: 'anyone', role: 'reader' } })
    const found = await run(`drive/v3/files/${id}/permissions?fields=permissions(id,type,permissionDetails)`)
    const inherited = listAt(found, 'permissions').find((each) => at(each, 'type') === 'anyone')
    expect(listAt(inherited, 'permissionDetails').map((each) => [at(each, 'inherited'), at(each, 'inheritedFrom')])).toEqual([
      [true, undefined],
    ])
    const removal = await ask(`drive/v3/files/${id}/permissions/${textAt(inherited, 'id')}`, { method: 'DELETE' })
    expect([removal.status, reason(removal.body)]).toEqual([403, 'cannotModifyInheritedPermission'])
  },
)

question(
  {
    number: 8,
    rules: ['copies/parents', 'copies/names'],
    question: "Does a copy inherit its source's sharing link?",
    emulator: 'no: its access is that of its folder',
  },
  async () => {
    const { add, run } = openDrive(environment)
    const folder = await add('8')
    const id = await add('8-file', { text: 'one', parent: folder })
    await run(`drive/v3/files/${id}/permissions`, { method: 'POST', body: { type: 'anyone', role: 'reader' } })
    const copy = textAt(await run(`drive/v3/files/${id}/copy`, { method: 'POST', body: {} }), 'id')
    const found = await run(`drive/v3/files/${copy}?fields=name,parents,permissions(type)`)
    expect(at(found, 'parents')).toEqual([folder])
    expect(listAt(found, 'permissions').map((each) => at(each, 'type'))).toEqual(['user'])
  },
)

question(
  {
    number: 9,
    rules: ['files/trash'],
    question: 'Does trashing a folder also trash its files?',
    emulator: 'yes: they are trashed, and not explicitly',
  },
  async () => {
    const { add, run } = openDrive(environment)
    const folder = await add('9')
    const id = await add('9-file', { text: 'one', parent: folder })
    const state = async (trashed: boolean) => {
      await run(`drive/v3/files/${folder}`, { method: 'PATCH', body: { trashed } })
      return run(`drive/v3/files/${id}?fields=trashed,explicitlyTrashed`)
    }
    expect([await state(true), await state(false)]).toEqual([
      { trashed: true, explicitlyTrashed: false },
      { trashed: false, explicitlyTrashed: false },
    ])
  },
)

question(
  {
    number: 10,
    rules: ['batches/answers'],
    question: 'Are the requests in a batch answered in order?',
    emulator: 'yes: 200 and 404 in one answer',
  },
  async () => {
    const { add, run } = openDrive(environment)
    const id = await add('10', { text: 'one' })
    const part = (wanted: string, number: number) =>
      `--parts\r\ncontent-type: application/http\r\ncontent-id: <${number}>\r\n\r\nGET /drive/v3/files/${wanted}?fields=id\r\n\r\n`
    const body = `${part(id, 0)}${part('1'.repeat(33), 1)}--parts--\r\n`
    const answer = await run('batch/drive/v3', { method: 'POST', headers: { 'content-type': 'multipart/mixed; boundary=parts' }, body })
    expect([...String(answer).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['200', '404'])
  },
)
