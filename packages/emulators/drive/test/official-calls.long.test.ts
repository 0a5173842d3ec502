import { drive, type drive_v3 } from '@googleapis/drive'
import { expect, it } from 'vitest'
import { allEndpoints } from '../src/api/endpoints.ts'
import { commonCalls } from './common-calls.ts'
import { connected } from './connected.ts'

const folderType = 'application/vnd.google-apps.folder'
const documentType = 'application/vnd.google-apps.document'
const csv = (body: string) => ({ mimeType: 'text/csv', body })

/** The official client, which needs the address in every call. */
async function official() {
  const emulator = connected({ seed: 'company' })
  const { url } = await emulator.listen()
  const at = { rootUrl: `${url}/`, headers: { authorization: 'Bearer drive-emulator' }, retry: false }
  return { ...emulator, at, client: drive('v3') }
}

/** The client with a file, a document and a shared drive to work on. */
async function prepared() {
  const { at, client, ...emulator } = await official()
  const create = async (requestBody: drive_v3.Schema$File, media: ReturnType<typeof csv>) =>
    (await client.files.create({ requestBody, media }, at)).data.id ?? ''
  const fileId = await create({ name: 'plan.csv' }, csv('step,days\nmap,3'))
  const documentId = await create({ name: 'Notes', mimeType: documentType }, { mimeType: 'text/plain', body: 'Widgets & gears' })
  const driveId = (await client.drives.create({ requestId: 'first', requestBody: { name: 'Trials' } }, at)).data.id ?? ''
  const start = (await client.changes.getStartPageToken({}, at)).data.startPageToken ?? ''
  const comment = await client.comments.create({ fileId, fields: 'id', requestBody: { content: 'Why?' } }, at)
  const commentId = comment.data.id ?? ''
  const permission = await client.permissions.create({ fileId, requestBody: { type: 'anyone', role: 'reader' } }, at)
  const reply = await client.replies.create({ fileId, commentId, fields: 'id', requestBody: { content: 'So' } }, at)
  const ids = { fileId, documentId, driveId, commentId, permissionId: permission.data.id ?? '', replyId: reply.data.id ?? '' }
  return { ...emulator, at, client, create, start, ids }
}

type Prepared = Awaited<ReturnType<typeof prepared>>

/** The result of each call, or the part of the result that proves the call's effect. */
const calls: Readonly<Record<(typeof commonCalls)[number], (world: Prepared) => Promise<unknown>>> = {
  'about.get': async ({ client, at }) => (await client.about.get({ fields: 'user/displayName' }, at)).data.user?.displayName,
  'files.list': async ({ client, at }) => (await client.files.list({ q: "name = 'plan.csv'" }, at)).data.files?.length,
  'files.create': async ({ client, at }) => (await client.files.create({ requestBody: { mimeType: folderType } }, at)).data.mimeType,
  'files.create with media': async ({ client, at }) => (await client.files.create({ media: csv('a,b'), fields: 'size' }, at)).data.size,
  'files.get': async ({ client, at, ids }) => (await client.files.get({ fileId: ids.fileId }, at)).data.name,
  'files.get with alt=media': async ({ client, at, ids }) =>
    (await client.files.get({ fileId: ids.fileId, alt: 'media' }, { ...at, responseType: 'text' })).data,
  'files.update': async ({ client, at, ids }) =>
    (await client.files.update({ fileId: ids.fileId, requestBody: { starred: true }, fields: 'starred' }, at)).data.starred,
  'files.update with media': async ({ client, at, ids }) =>
    (await client.files.update({ fileId: ids.fileId, media: csv('more'), fields: 'size' }, at)).data.size,
  'files.copy': async ({ client, at, ids }) => (await client.files.copy({ fileId: ids.fileId }, at)).data.name,
  'files.export': async ({ client, at, ids }) =>
    (await client.files.export({ fileId: ids.documentId, mimeType: 'text/markdown' }, { ...at, responseType: 'text' })).data,
  'files.delete': async ({ client, at, ids }) => (await client.files.delete({ fileId: ids.fileId }, at)).status,
  'files.emptyTrash': async ({ client, at }) => (await client.files.emptyTrash({}, at)).status,
  'files.generateIds': async ({ client, at }) => (await client.files.generateIds({ count: 3 }, at)).data.ids?.length,
  'permissions.create': async ({ client, at, ids }) =>
    (await client.permissions.create({ fileId: ids.documentId, requestBody: { type: 'anyone', role: 'reader' } }, at)).data.role,
  'permissions.list': async ({ client, at, ids }) => (await client.permissions.list({ fileId: ids.fileId }, at)).data.permissions?.length,
  'permissions.get': async ({ client, at, ids }) =>
    (await client.permissions.get({ fileId: ids.fileId, permissionId: ids.permissionId }, at)).data.type,
  'permissions.update': async ({ client, at, ids }) => {
    const requestBody = { role: 'writer' }
    return (await client.permissions.update({ fileId: ids.fileId, permissionId: ids.permissionId, requestBody }, at)).data.role
  },
  'permissions.delete': async ({ client, at, ids }) =>
    (await client.permissions.delete({ fileId: ids.fileId, permissionId: ids.permissionId }, at)).status,
  'drives.create': async ({ client, at }) =>
    (await client.drives.create({ requestId: 'second', requestBody: { name: 'More' } }, at)).data.name,
  'drives.list': async ({ client, at }) =>
    (await client.drives.list({ pageSize: 100 }, at)).data.drives?.some(({ name }) => name === 'Trials'),
  'drives.get': async ({ client, at, ids }) => (await client.drives.get({ driveId: ids.driveId }, at)).data.name,
  'drives.update': async ({ client, at, ids }) =>
    (await client.drives.update({ driveId: ids.driveId, requestBody: { name: 'Tests' } }, at)).data.name,
  'drives.hide': async ({ client, at, ids }) => (await client.drives.hide({ driveId: ids.driveId, fields: 'hidden' }, at)).data.hidden,
  'comments.create': async ({ client, at, ids }) =>
    (await client.comments.create({ fileId: ids.fileId, fields: 'content', requestBody: { content: 'How?' } }, at)).data.content,
  'comments.list': async ({ client, at, ids }) =>
    (await client.comments.list({ fileId: ids.fileId, fields: 'comments/content' }, at)).data.comments,
  'replies.create': async ({ client, at, ids: { fileId, commentId } }) =>
    (await client.replies.create({ fileId, commentId, fields: 'action', requestBody: { action: 'resolve' } }, at)).data.action,
  'revisions.list': async ({ client, at, ids }) => (await client.revisions.list({ fileId: ids.fileId }, at)).data.revisions?.length,
  'revisions.get': async ({ client, at, ids }) =>
    (await client.revisions.get({ fileId: ids.fileId, revisionId: 'head', fields: 'size' }, at)).data.size,
  'changes.getStartPageToken': async ({ client, at }) => (await client.changes.getStartPageToken({}, at)).data.kind,
  'changes.list': async ({ client, at, start }) => (await client.changes.list({ pageToken: start }, at)).data.changes?.length,
  'changes.watch': async ({ client, at, start }) => {
    const requestBody = { id: 'one', type: 'web_hook', address: 'http://127.0.0.1:1/hook' }
    return (await client.changes.watch({ pageToken: start, requestBody }, at)).data.kind
  },
}

const answers: Readonly<Record<(typeof commonCalls)[number], unknown>> = {
  'about.get': 'Robin Vance',
  'files.list': 1,
  'files.create': folderType,
  'files.create with media': '3',
  'files.get': 'plan.csv',
  'files.get with alt=media': 'step,days\nmap,3',
  'files.update': true,
  'files.update with media': '4',
  'files.copy': 'Copy of plan.csv',
  'files.export': 'Widgets & gears',
  'files.delete': 204,
  'files.emptyTrash': 204,
  'files.generateIds': 3,
  'permissions.create': 'reader',
  'permissions.list': 2,
  'permissions.get': 'anyone',
  'permissions.update': 'writer',
  'permissions.delete': 204,
  'drives.create': 'More',
  'drives.list': true,
  'drives.get': 'Trials',
  'drives.update': 'Tests',
  'drives.hide': true,
  'comments.create': 'How?',
  'comments.list': [{ content: 'Why?' }],
  'replies.create': 'resolve',
  'revisions.list': 1,
  'revisions.get': '15',
  'changes.getStartPageToken': 'drive#startPageToken',
  'changes.list': 1,
  'changes.watch': 'api#channel',
}

it.each(commonCalls)('answers the official client: %s', async (name) => {
  expect(await calls[name](await prepared())).toEqual(answers[name])
})

it('answers every method of the official client', async () => {
  const world = await prepared()
  const { client, at, ids, store } = world
  const { fileId, commentId, replyId, driveId, documentId } = ids
  const last = ['files.delete', 'permissions.delete']
  for (const name of commonCalls.filter((each) => !last.includes(each))) await calls[name](world)
  await client.comments.get({ fileId, commentId, fields: 'id' }, at)
  await client.comments.update({ fileId, commentId, fields: 'id', requestBody: { content: 'Since when?' } }, at)
  await client.replies.get({ fileId, commentId, replyId, fields: 'id' }, at)
  await client.replies.list({ fileId, commentId, fields: '*' }, at)
  await client.replies.update({ fileId, commentId, replyId, fields: 'id', requestBody: { content: 'Always' } }, at)
  await client.replies.delete({ fileId, commentId, replyId }, at)
  await client.comments.delete({ fileId, commentId }, at)
  await client.revisions.update({ fileId, revisionId: 'head', requestBody: { keepForever: true } }, at)
  const [oldest] = (await client.revisions.list({ fileId }, at)).data.revisions ?? []
  await client.revisions.delete({ fileId, revisionId: oldest?.id ?? '' }, at)
  await client.drives.unhide({ driveId }, at)
  await client.drives.delete({ driveId }, at)
  await client.apps.list({}, at)
  await client.apps.get({ appId: '407408718192' }, at)
  await client.accessproposals.list({ fileId }, at)
  await client.files.listLabels({ fileId }, at)
  const requestBody = { id: 'two', type: 'web_hook', address: 'http://127.0.0.1:1/hook' }
  const { data: channel } = await client.files.watch({ fileId: documentId, requestBody }, at)
  await client.channels.stop({ requestBody: { id: 'two', resourceId: channel.resourceId ?? '' } }, at)
  for (const name of ['permissions.delete', 'files.delete'] as const) await calls[name](world)
  expect(Object.keys(store.unitsByMethod()).sort()).toEqual((await allEndpoints()).map(({ name }) => name).sort())
})
