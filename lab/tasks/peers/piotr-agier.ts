// @piotr-agier/google-drive-mcp. It answers in text, in which each file has its id.
import type { PeerCall, PeerSolutions } from './peer.ts'

/** The files in a text, one per line: `📄 To do.md (ID: …)` of a folder, `To do.md (text/markdown) [id: …]` of a search. */
const filesIn = (text: unknown) =>
  [...String(text).matchAll(/^(?:[📁📄] )?(\S.*?) \(.*?(?:ID|\[id): ([\w-]+)/gmu)].map(([, name = '', id = '']) => ({ name, id }))

function idOf(text: unknown, words: string): string {
  const found = filesIn(text).find(({ name }) => name.includes(words))
  if (!found) throw new Error(`Nothing is called ${words}: ${String(text).slice(0, 200)}`)
  return found.id
}

const made = (text: unknown) => /ID: ([\w-]+)/.exec(String(text))?.[1] ?? ''
const list = (call: PeerCall, folderId?: string) => call('listFolder', { ...(folderId && { folderId }), pageSize: 100 })
const find = (call: PeerCall, words: string) =>
  call('search', { query: `name contains '${words}'`, rawQuery: true, orderBy: 'name', pageSize: 100 })
const inFolder = async (call: PeerCall, ...path: readonly string[]) => {
  let folder: string | undefined
  for (const name of path) folder = idOf(await list(call, folder), name)
  return folder ?? ''
}
const inTrails = async (call: PeerCall, ...path: readonly string[]) => {
  let folder = idOf(await call('listSharedDrives'), 'Trails launch')
  for (const name of path) folder = idOf(await list(call, folder), name)
  return folder
}

export const piotrAgier: PeerSolutions = {
  async 'drive-folder'(call) {
    await call('createFolder', { name: 'Receipts' })
    return 'Done.'
  },
  async 'drive-rename'(call) {
    await call('renameItem', { itemId: await inFolder(call, 'Train to Innsbruck'), newName: 'Receipt Innsbruck.pdf' })
    return 'Done.'
  },
  async 'drive-put-away'(call) {
    const itemId = await inFolder(call, 'Hiring', 'Interview questions')
    await call('moveItem', { itemId, destinationFolderId: await inFolder(call, 'Archive') })
    return 'Done.'
  },
  async 'drive-trash'(call) {
    await call('deleteItem', { itemId: await inFolder(call, 'Team', 'Whiteboard') })
    return 'Done.'
  },
  async 'drive-hotel'(call) {
    return String(await call('readTextFile', { fileId: idOf(await find(call, 'Travel policy'), 'Travel policy') }))
  },
  async 'drive-comment-role'(call) {
    const fileId = await inFolder(call, 'Drafts', 'All-hands talk')
    await call('shareFile', { fileId, emailAddress: 'hana.sato@lodestar.example', role: 'commenter' })
    return 'Done.'
  },
  async 'drive-quietly'(call) {
    const to = { emailAddress: 'noah.weiss@lodestar.example', role: 'reader', sendNotificationEmail: false }
    await call('shareFile', { fileId: await inFolder(call, 'Archive'), ...to })
    return 'Done.'
  },
  async 'drive-revoke'(call) {
    const fileId = await inFolder(call, 'Drafts', 'Letter')
    await call('listPermissions', { fileId })
    await call('removePermission', { fileId, emailAddress: 'ada.okonkwo@lodestar.example' })
    return 'Done.'
  },
  'drive-restore': 'no tool that restores from the trash',
  async 'drive-copy'(call) {
    const fileId = await inTrails(call, 'Launch checklist')
    await call('copyFile', { fileId, newName: 'Spring checklist.csv', parentFolderId: await inFolder(call, 'Drafts') })
    return 'Done.'
  },
  async 'drive-figure'(call) {
    const fileId = await inTrails(call, 'Launch plan')
    const read = String(await call('readTextFile', { fileId, maxLength: 100_000 }))
    const content = read.slice(read.indexOf('# Trails: launch plan')).replace('Paying teams | 34 |', 'Paying teams | 41 |')
    await call('updateTextFile', { fileId, content })
    return 'Done.'
  },
  async 'drive-one-file'(call) {
    const fileId = await inTrails(call, 'Press', 'Press release draft')
    await call('shareFile', { fileId, emailAddress: 'lena@alpenpass.example', role: 'reader' })
    return 'Done.'
  },
  async 'drive-two-budgets'(call) {
    await find(call, 'Travel budget')
    const folders = ['Archive', 'Drafts', 'Hiring', 'One-to-ones', 'Team']
    const places: string[] = []
    for (const name of folders) if (String(await list(call, await inFolder(call, name))).includes('Travel budget')) places.push(name)
    return `Which one: in ${places.join(' or in ')}?`
  },
  async 'drive-outsiders'(call) {
    for (const { id: fileId } of filesIn(await find(call, 'Letter to the beta teams'))) {
      const permissions = String(await call('listPermissions', { fileId }))
      if (!permissions.includes('press@agency.example')) continue
      await call('removePermission', { fileId, emailAddress: 'press@agency.example' })
      await call('removePermission', { fileId, permissionId: 'anyoneWithLink' })
    }
    return 'Done.'
  },
  async 'drive-lost-answer'(call) {
    const folder = { name: 'Guides', parent: await inFolder(call, 'Archive') }
    // The error for an existing folder or file contains its id.
    const parentFolderId = made(await call('createFolder', folder).catch(String))
    await call('createTextFile', { name: 'Names.txt', content: 'Lena, Callum, Anders\n', parentFolderId }).catch(String)
    return 'Done.'
  },
  async 'drive-hand-over'(call) {
    const drafts = filesIn(await list(call, await inFolder(call, 'Drafts')))
    const destinationFolderId = made(await call('createFolder', { name: 'Handover to Noah' }))
    for (const { id } of drafts) await call('moveItem', { itemId: id, destinationFolderId })
    await call('shareFile', { fileId: destinationFolderId, emailAddress: 'noah.weiss@lodestar.example', role: 'writer' })
    return 'Done.'
  },
  async 'drive-collect'(call) {
    const parent = await inTrails(call, 'Research')
    const interviews = filesIn(await list(call, parent)).filter(({ name }) => /^Interview (?!guide)/.test(name))
    const destinationFolderId = made(await call('createFolder', { name: 'Interviews', parent }))
    for (const { id } of interviews) await call('moveItem', { itemId: id, destinationFolderId })
    return 'Done.'
  },
  async 'drive-names'(call) {
    for (const { id, name } of filesIn(await list(call, await inTrails(call, 'Meetings'))))
      await call('renameItem', { itemId: id, newName: name.replace(/^Launch meeting, (\d) weeks to go/, 'Launch, week -$1') })
    return 'Done.'
  },
  async 'drive-photos'(call) {
    const old = filesIn(await find(call, 'Photo 2025')).filter(({ name }) => name.startsWith('Photo 2025'))
    const destinationFolderId = made(await call('createFolder', { name: 'Photos 2025' }))
    for (const { id } of old) await call('moveItem', { itemId: id, destinationFolderId })
    return 'Done.'
  },
}
