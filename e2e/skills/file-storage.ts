import { member } from '@mcp-toolkits/core/base'
import { expect } from 'vitest'
import { type Agent, field, rows, rowWith } from '../agent.ts'
import { column, type Scripts } from './script.ts'

const trails = 'Trails launch'

/** The whole text of a file, part by part. */
async function textOf(agent: Agent, id: unknown, offset: unknown = 0): Promise<string> {
  const { text, next_offset: next } = await agent.call('ReadFile', { file_path_or_id: id, offset, limit: 1_000 })
  return `${String(text)}${next === null ? '' : await textOf(agent, id, next)}`
}

/** The files in a folder of the tree. */
function filesIn(tree: Readonly<Record<string, unknown>>, drive: string, folder: string) {
  return rows(rowWith(rowWith(tree['drives'], 'name', drive)['items'], 'name', folder)['children'])
}

const peopleOf = async ({ call }: Pick<Agent, 'call'>, id: unknown) =>
  rows((await call('ListFilePermissions', { file_path_or_id: id, limit: 100 }))['permissions'])

export const fileStorageScripts: Scripts = {
  async 'find-and-summarise'(agent) {
    const { files } = await agent.call('SearchFiles', { query: 'outage review', include_shared_drives: true })
    const text = await textOf(agent, rowWith(files, 'name', 'review')['id'])
    expect(text).toMatch(/^# [^]*Migrations give up after five seconds[^]*Show when a pack was last synced/)
  },

  async 'share-safely'(agent) {
    const { call } = agent
    const { files } = await call('SearchFiles', { query: 'Archive' })
    const { id } = rowWith(files, 'type', 'folder')
    const before = await peopleOf(agent, id)
    expect(column(filesIn(await call('GetFileTreeStructure', {}), 'My Drive', 'Archive'), 'name')).toContain('Offer for the film.pdf')
    const wish = { email_addresses: ['hana.sato@lodestar.example'], role: 'reader', send_notification_email: false }
    await call('ShareFile', { file_path_or_id: id, ...wish })
    const added = (await peopleOf(agent, id)).filter(({ who }) => !column(before, 'who').includes(String(who)))
    expect(added).toEqual([expect.objectContaining({ who: 'hana.sato@lodestar.example', role: 'reader' })])
  },

  async 'hand-over-files'({ call, aside }) {
    const tree = await call('GetFileTreeStructure', {})
    const drafts = filesIn(tree, 'My Drive', 'Drafts')
    const { files } = await call('SearchFiles', { query: 'launch', include_shared_drives: true })
    expect(rows(files).length).toBeGreaterThan(0)
    const { folder } = await call('CreateFolder', { folder_name: 'Handover to Noah' })
    const id = member(folder, 'id')
    for (const draft of drafts) await call('MoveFile', { source_file_path_or_id: draft['id'], destination_folder_path_or_id: id })
    await call('ShareFile', { file_path_or_id: id, email_addresses: ['noah.weiss@lodestar.example'], role: 'writer' })
    const after = await call('GetFileTreeStructure', {})
    expect(column(filesIn(after, 'My Drive', 'Handover to Noah'), 'id')).toEqual(column(drafts, 'id'))
    expect(filesIn(after, 'My Drive', 'One-to-ones')).toEqual(filesIn(tree, 'My Drive', 'One-to-ones'))
    const again = await aside('ShareFile', { file_path_or_id: id, email_addresses: ['noah.weiss@lodestar.example'], role: 'writer' })
    expect(rows(again['people'])[0]).toMatchObject({ outcome: 'unchanged', role: 'writer' })
  },

  async 'collect-files'({ call }) {
    const found = await call('SearchFiles', { query: 'interview', shared_drive_id: trails, limit: 50 })
    const interviews = rows(found['files']).filter(({ name }) => /^Interview (?!guide)/.test(String(name)))
    const { files: folders } = await call('SearchFiles', { query: 'Research', shared_drive_id: trails, file_types: 'folder' })
    const { id: parent } = rowWith(folders, 'name', 'Research')
    const created = await call('CreateFolder', { folder_name: 'Interviews', parent_folder_path_or_id: parent })
    const folder = field(created, 'folder', 'id')
    for (const { id } of interviews) await call('MoveFile', { source_file_path_or_id: id, destination_folder_path_or_id: folder })
    const there = await call('SearchFiles', { query: 'interview', folder_path_or_id: folder, limit: 50 })
    expect(column(there['files'], 'id')).toEqual(column(interviews, 'id'))
    expect(interviews).toHaveLength(6)
  },

  async 'review-access'(agent) {
    const { call, aside } = agent
    const { files } = await call('SearchFiles', { query: 'Letter to the beta teams' })
    const { id } = rowWith(files, 'name', 'Letter')
    const stranger = 'press@agency.example'
    const before = column(await peopleOf({ call: aside }, id), 'who')
    await aside('ShareFile', { file_path_or_id: id, email_addresses: [stranger], role: 'writer' })
    await aside('SetGeneralAccess', { file_path_or_id: id, access: 'anyone', confirm: true })
    expect(await call('CheckFileAccess', { files: [id] })).toMatchObject({ all_accessible: true })
    const found = column(await peopleOf(agent, id), 'who')
    expect(found).toEqual([...before, 'anyone', stranger].toSorted())
    const plan = { file_path_or_id: id, access: 'restricted' }
    const shown = await call('SetGeneralAccess', { ...plan, dry_run: true })
    expect(column(shown['after'], 'who')).not.toContain('anyone')
    await call('SetGeneralAccess', plan)
    await call('RevokeFileAccess', { file_path_or_id: id, people: [stranger] })
    expect(column(await peopleOf({ call: aside }, id), 'who')).toEqual(before)
  },

  async 'update-document'(agent) {
    const { call, aside, refused } = agent
    const { files } = await call('SearchFiles', { query: 'launch plan', include_shared_drives: true })
    const { id } = rowWith(files, 'name', 'Launch plan.md')
    const read = async () => call('ReadFile', { file_path_or_id: id })
    const { text, revision } = await read()
    await call('ListRevisions', { file_path_or_id: id })
    const replace = { passage: 'Paying teams | 34 | 250', with: 'Paying teams | 41 | 250' }
    expect(text).toContain(replace.passage)
    await aside('WriteFile', { file_path_or_id: id, append: '\nNoah: see the checklist.\n' })
    expect(await refused('WriteFile', { file_path_or_id: id, replace, expected_revision: revision })).toContain('changed')
    const { revision: newer } = await read()
    await call('WriteFile', { file_path_or_id: id, replace, expected_revision: newer })
    const after = String((await aside('ReadFile', { file_path_or_id: id }))['text'])
    expect(after).toBe(`${String(text).replace(replace.passage, replace.with)}\nNoah: see the checklist.\n`)
  },

  async 'name-files'({ call }) {
    const { files } = await call('SearchFiles', { query: 'Meetings', shared_drive_id: trails, file_types: 'folder' })
    const { name: folder } = rowWith(files, 'name', 'Meetings')
    const list = async () => filesIn(await call('GetFileTreeStructure', { restrict_to_shared_drive_id: trails }), trails, String(folder))
    const meetings = await list()
    const renamed = meetings.map(({ id, name }) => ({
      id,
      name: String(name).replace(/^Launch meeting, (\d) weeks to go/, 'Launch, week -$1'),
    }))
    for (const { id, name } of renamed) await call('RenameFile', { file_path_or_id: id, new_filename: name })
    expect(column(await list(), 'name')).toEqual(column(renamed, 'name'))
    expect(column(await list(), 'id')).toEqual(column(meetings, 'id'))
  },

  async 'recent-changes'({ call, aside }) {
    const before = await aside('GetFileTreeStructure', { include_shared_drives: true })
    const { user, shared_drives: drives } = await call('WhoAmI', {})
    expect(field(user, 'name')).toBe('Robin Vance')
    expect(column(drives, 'name')).toEqual([trails])
    const order = { order_by: 'modifiedTime desc', include_shared_drives: true, limit: 50 }
    const latest = await call('GetFileTreeStructure', order)
    const { id } = rowWith(rowWith(latest['drives'], 'name', 'My Drive')['items'], 'name', 'To do')
    const { files } = await call('SearchFiles', { query: 'to do', include_shared_drives: true })
    expect(rowWith(files, 'id', String(id))).toHaveProperty('modified_at')
    expect((await call('DownloadFile', { file_path_or_id: id }))['text']).toContain('Drawing of the sync service')
    expect(await aside('GetFileTreeStructure', { include_shared_drives: true })).toEqual(before)
  },
}
