// The files of a tree or a search: the person opens folders, chooses items, and shares one.
import { dim, h, select, show, typing } from '../kit/elements.ts'
import { type Answer, call, has, isLarge, quoted, start, tell, toggleSize } from '../kit/host.ts'
import { at, listAt, type Row, textAt } from '../kit/json.ts'

let roots: readonly Row[] = []
let problem = ''
let query = ''
let said = ''
/** Number of searches so far: only the latest one's result is shown. */
let searches = 0
/** Ids of the open folders, and the chosen items by id. */
const open = new Set<string>()
/** Items that the result left out, by their folder's id; empty while loading. */
const loaded = new Map<string, readonly Row[]>()
/** True if the result may be incomplete. */
let isCut = false
const chosen = new Map<string, string>()
/** The item being shared: who has access now, and who else is to get it. */
let sharing:
  | { readonly id: string; readonly access: readonly Row[] | undefined; readonly address: string; readonly role: string }
  | undefined

const canShare = has('ShareFile')

/** A folder for items whose own folder is missing from the result, or is only named there. */
const group = (name: string, id: string, children: readonly Row[]): Row => ({ id: id || name, name, kind: id && 'folder', children })

function rootsOf(data: Row): Row[] {
  const drives = listAt(data, 'drives').map((drive) => group(textAt(drive, 'name') || 'Drive', textAt(drive, 'id'), listAt(drive, 'items')))
  for (const { id } of drives) open.add(String(id))
  const unplaced = listAt(data, 'unplaced').map((each) => {
    const path = textAt(each, 'path') || 'Elsewhere'
    return group(path, textAt(each, 'parent_id'), listAt(each, 'items'))
  })
  return [...drives, ...unplaced, ...listAt(data, 'files')]
}

/** True for a folder whose items the result may lack, if they can be loaded. */
const canLoad = (id: string) => isCut && id !== '' && !loaded.has(id) && has('SearchFiles')

async function load(id: string): Promise<void> {
  if (!canLoad(id)) return
  loaded.set(id, [])
  const answer = await call('SearchFiles', { query: 'trashed = false', folder_path_or_id: id, limit: 1000 })
  said = 'problem' in answer ? answer.problem : ''
  if ('data' in answer) {
    const files = listAt(answer.data, 'files')
    loaded.set(id, files)
    if (at(answer.data, 'pagination', 'has_more') === true) said = `Only ${files.length} items are shown. Search for more.`
  } else loaded.delete(id)
  draw()
}

/** The items in a folder: those in the result, and loaded ones. */
function childrenOf(item: Row): readonly Row[] {
  const known = listAt(item, 'children')
  const ids = new Set(known.map((each) => textAt(each, 'id')))
  return [...known, ...(loaded.get(textAt(item, 'id')) ?? []).filter((each) => !ids.has(textAt(each, 'id')))]
}

function choose(id: string, name: string): void {
  if (!chosen.delete(id)) chosen.set(id, name)
  sharing = undefined
  const names = [...chosen].map(([each, text]) => `${quoted(text)} (id ${each})`)
  said = ''
  tell(
    names.length === 0
      ? 'The person no longer has any files chosen.'
      : `The person has chosen ${names.join(', ')}; ignore any earlier choice.`,
  )
  draw()
}

async function readAccess(id: string): Promise<readonly Row[]> {
  const answer = has('ListFilePermissions') ? await call('ListFilePermissions', { file_path_or_id: id }) : undefined
  if (answer && 'problem' in answer) said = answer.problem
  return answer && 'data' in answer ? listAt(answer.data, 'permissions') : []
}

async function openSharing(id: string): Promise<void> {
  sharing = { id, access: undefined, address: '', role: 'reader' }
  draw()
  await showAccess(id)
}

/** Shows who has access to the item, unless the person has moved on; clears the address field if it still contains `done`. */
async function showAccess(id: string, done = ''): Promise<void> {
  const access = await readAccess(id)
  if (sharing?.id === id) sharing = { ...sharing, access, address: sharing.address === done ? '' : sharing.address }
  draw()
}

async function share(): Promise<void> {
  if (!sharing || !/\S@\S/.test(sharing.address)) return
  const { id, address, role } = sharing
  const name = chosen.get(id) ?? ''
  const answer = await call('ShareFile', { file_path_or_id: id, email_addresses: [address.trim()], role }, true)
  const outcome = 'data' in answer ? listAt(answer.data, 'people')[0] : undefined
  const isDone = ['added', 'updated', 'unchanged'].includes(textAt(outcome, 'outcome'))
  said = 'problem' in answer ? answer.problem : textAt(outcome, 'reason') || `It was not shared with ${address}.`
  if (isDone) {
    const did = `shared ${quoted(name)} (id ${id}) with ${address.trim()} as ${role}.`
    said = `You ${did}`
    tell(`The person ${did} It is done; do not repeat it.`)
    await showAccess(id, address)
  }
  draw()
}

const accessLine = (row: Row) => h('li', {}, textAt(row, 'who'), dim(` ${textAt(row, 'role')}`))

function sharePanel(): HTMLElement | undefined {
  if (!sharing) return undefined
  const { access, address, role, id } = sharing
  const isNew = address.trim() !== '' && access?.every((row) => textAt(row, 'who') !== address.trim())
  const count = access?.length ?? 0
  return h(
    'section',
    { 'aria-label': 'Share' },
    h('h2', {}, `Share ${chosen.get(id) ?? ''}`),
    access
      ? h('p', { class: 'dim' }, count === 0 ? 'The server cannot show who has access.' : `Now ${count} can see it:`)
      : h('p', { class: 'dim' }, 'Loading…'),
    h('ul', {}, ...(access ?? []).map(accessLine), isNew && h('li', { class: 'new' }, `+ ${address.trim()}`, h('span', {}, ` ${role}`))),
    h(
      'div',
      { class: 'row' },
      h('input', {
        // In an email field, a script cannot find out where the caret is.
        inputmode: 'email',
        placeholder: 'name@example.com',
        'aria-label': 'Email address',
        'data-key': 'address',
        value: address,
        ...typing((text) => {
          if (sharing) sharing = { ...sharing, address: text }
          draw()
        }),
      }),
      select('Role', ['reader', 'commenter', 'writer'], role, (text) => {
        if (sharing) sharing = { ...sharing, role: text }
        draw()
      }),
      h('button', { 'data-key': 'confirm', click: share }, count > 0 && isNew ? `Share: then ${count + 1} can see it` : 'Share'),
    ),
  )
}

function itemRow(item: Row): HTMLElement {
  const [id, name, children] = [textAt(item, 'id'), textAt(item, 'name'), childrenOf(item)]
  const kind = textAt(item, 'kind') || textAt(item, 'type').replace(/^.*[/.]/, '')
  const isOpen = open.has(id)
  const mayHoldMore = canLoad(id) && kind === 'folder'
  const toggle = () => {
    if (!open.delete(id)) {
      open.add(id)
      void load(id)
    }
    draw()
  }
  const box = h('input', {
    type: 'checkbox',
    'data-key': `choose ${id}`,
    checked: chosen.has(id),
    change: () => {
      choose(id, textAt(item, 'path') || name)
    },
  })
  return h(
    'li',
    {},
    h(
      'div',
      { class: 'item' },
      children.length > 0 || mayHoldMore
        ? h(
            'button',
            { class: 'fold', 'data-key': `open ${id}`, 'aria-expanded': String(isOpen), 'aria-label': `Open ${name}`, click: toggle },
            isOpen ? '▾' : '▸',
          )
        : h('span', { class: 'fold' }),
      h('label', {}, box, h('b', {}, name), h('span', {}, textAt(item, 'path') || kind)),
    ),
    isOpen &&
      h(
        'ul',
        {},
        ...children.map(itemRow),
        mayHoldMore && h('li', {}, h('button', { 'data-key': `more ${id}`, click: () => load(id) }, `More in ${name}`)),
      ),
  )
}

function take(answer: Answer): void {
  problem = 'problem' in answer ? answer.problem : ''
  if ('data' in answer) {
    roots = rootsOf(answer.data)
    // A search lists folders without their contents.
    isCut = at(answer.data, 'pagination', 'has_more') === true || at(answer.data, 'files') !== undefined
    loaded.clear()
  }
  draw()
}

async function search(event: Event): Promise<void> {
  if (!(event instanceof KeyboardEvent) || event.key !== 'Enter' || query.trim() === '') return
  const mine = (searches += 1)
  const answer = await call('SearchFiles', { query })
  if (mine === searches) take(answer)
}

function draw(): void {
  document.body.classList.toggle('large', isLarge())
  const [only = ''] = chosen.keys()
  const nested = new Set([...loaded.values()].flat().map((item) => textAt(item, 'id')))
  const shown = roots.filter((item) => !nested.has(textAt(item, 'id')))
  show(
    h(
      'header',
      {},
      h('h1', {}, chosen.size === 0 ? 'Files' : `${chosen.size} chosen`),
      chosen.size === 1 && canShare && h('button', { 'data-key': 'share', click: () => openSharing(only) }, 'Share…'),
      has('SearchFiles') &&
        h('input', {
          type: 'search',
          placeholder: 'Search',
          'aria-label': 'Search files',
          'data-key': 'search',
          value: query,
          keydown: search,
          ...typing((text) => {
            query = text
          }),
        }),
      h('button', { 'data-key': 'size', 'aria-expanded': String(isLarge()), click: () => toggleSize(draw) }, isLarge() ? 'Close' : 'Open'),
    ),
    problem !== '' && h('p', { class: 'bad' }, problem),
    sharePanel() ??
      (shown.length > 0
        ? h('ul', { class: 'tree', 'data-scroll': 'tree' }, ...shown.map(itemRow))
        : h('p', { class: 'dim' }, 'No file matches.')),
    sharing &&
      h(
        'button',
        {
          'data-key': 'back',
          click: () => {
            sharing = undefined
            draw()
          },
        },
        '← Files',
      ),
    said !== '' && h('p', { class: 'note', role: 'status' }, said),
  )
}

await start({ result: take, draw })
