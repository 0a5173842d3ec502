// mcp-google-drive. It answers in text, in which each file has its id: `1. **To do.md** (ID: \`…\`)`.
import type { PeerCall, PeerSolutions } from './peer.ts'

const filesIn = (text: unknown) =>
  [...String(text).matchAll(/\*\*([^*\n]+)\*\*[^`\n]*`([\w-]+)`/g)].map(([, name = '', id = '']) => ({ name, id }))

function idOf(text: unknown, words: string): string {
  const found = filesIn(text).find(({ name }) => name.includes(words))
  if (!found) throw new Error(`Nothing is called ${words}: ${String(text).slice(0, 200)}`)
  return found.id
}

const made = (text: unknown) => /ID: ([\w-]+)/.exec(String(text))?.[1] ?? ''
const list = (call: PeerCall, folder: string) => call('list_files', { q: `'${folder}' in parents and trashed = false`, pageSize: 200 })
const inFolder = async (call: PeerCall, ...path: readonly string[]) => {
  let folder = 'root'
  for (const name of path) folder = idOf(await list(call, folder), name)
  return folder
}
/** By a search, which alone finds files of shared drives. */
const named = async (call: PeerCall, words: string) => idOf(await call('search_files', { query: words, maxResults: 50 }), words)
const noRemoval = 'no tool that takes access away'

export const mcpGoogleDrive: PeerSolutions = {
  async 'drive-folder'(call) {
    await call('create_folder', { name: 'Receipts' })
    return 'Done.'
  },
  async 'drive-rename'(call) {
    await call('update_file', { fileId: await inFolder(call, 'Train to Innsbruck'), name: 'Receipt Innsbruck.pdf' })
    return 'Done.'
  },
  async 'drive-put-away'(call) {
    const fileId = await inFolder(call, 'Hiring', 'Interview questions')
    await call('move_file', { fileId, parentId: await inFolder(call, 'Archive') })
    return 'Done.'
  },
  async 'drive-trash'(call) {
    await call('delete_file', { fileId: await inFolder(call, 'Team', 'Whiteboard') })
    return 'Done.'
  },
  async 'drive-hotel'(call) {
    return String(await call('get_file_content', { fileId: await named(call, 'Travel policy') }))
  },
  async 'drive-comment-role'(call) {
    const fileId = await inFolder(call, 'Drafts', 'All-hands talk')
    await call('share_file', { fileId, email: 'hana.sato@lodestar.example', role: 'commenter' })
    return 'Done.'
  },
  'drive-quietly': 'no way to share without an email',
  'drive-revoke': noRemoval,
  'drive-restore': 'no tool that restores from the trash',
  async 'drive-copy'(call) {
    const fileId = await named(call, 'Launch checklist')
    await call('copy_file', { fileId, name: 'Spring checklist.csv', parentId: await inFolder(call, 'Drafts') })
    return 'Done.'
  },
  async 'drive-figure'(call) {
    const fileId = await named(call, 'Launch plan.md')
    const read = String(await call('get_file_content', { fileId }))
    await call('update_file', { fileId, content: read.replace('Paying teams | 34 |', 'Paying teams | 41 |') })
    return 'Done.'
  },
  async 'drive-one-file'(call) {
    await call('share_file', { fileId: await named(call, 'Press release draft'), email: 'lena@alpenpass.example', role: 'reader' })
    return 'Done.'
  },
  async 'drive-two-budgets'(call) {
    const folders = ['Archive', 'Drafts', 'Hiring', 'One-to-ones', 'Team']
    const places: string[] = []
    for (const name of folders) if (String(await list(call, await inFolder(call, name))).includes('Travel budget')) places.push(name)
    return `Which one: in ${places.join(' or in ')}?`
  },
  'drive-outsiders': noRemoval,
  async 'drive-lost-answer'(call) {
    const parentId = made(await call('create_folder', { name: 'Guides', parentId: await inFolder(call, 'Archive') }))
    await call('create_file', { name: 'Names.txt', mimeType: 'text/plain', content: 'Lena, Callum, Anders\n', parentId })
    return 'Done.'
  },
  async 'drive-hand-over'(call) {
    const drafts = filesIn(await list(call, await inFolder(call, 'Drafts')))
    const parentId = made(await call('create_folder', { name: 'Handover to Noah' }))
    for (const { id: fileId } of drafts) await call('move_file', { fileId, parentId })
    await call('share_file', { fileId: parentId, email: 'noah.weiss@lodestar.example', role: 'writer' })
    return 'Done.'
  },
  async 'drive-collect'(call) {
    const interviews = filesIn(await call('search_files', { query: 'Interview', maxResults: 50 })).filter(({ name }) =>
      /^Interview (?!guide)/.test(name),
    )
    const parentId = made(await call('create_folder', { name: 'Interviews', parentId: await named(call, 'Research') }))
    for (const { id: fileId } of interviews) await call('move_file', { fileId, parentId })
    return 'Done.'
  },
  async 'drive-names'(call) {
    for (const { id: fileId, name } of filesIn(await call('search_files', { query: 'Launch meeting', maxResults: 50 })))
      await call('update_file', { fileId, name: name.replace(/^Launch meeting, (\d) weeks to go/, 'Launch, week -$1') })
    return 'Done.'
  },
  async 'drive-photos'(call) {
    const old = filesIn(await list(call, await inFolder(call, 'Photos'))).filter(({ name }) => name.includes('2025'))
    const parentId = made(await call('create_folder', { name: 'Photos 2025' }))
    for (const { id: fileId } of old) await call('move_file', { fileId, parentId })
    return 'Done.'
  },
}
