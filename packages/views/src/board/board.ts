// The issue board: a column for each state, and cards that the person moves.
import { dim, h, select, show, typing } from '../kit/elements.ts'
import { type Answer, call, given, has, isLarge, quoted, start, tell, toggleSize } from '../kit/host.ts'
import { at, listAt, type Row, textAt } from '../kit/json.ts'

const priorities = ['urgent', 'high', 'medium', 'low', 'no_priority']
/** The usual order of states, until the teams' own is known. */
const usual = ['Triage', 'Backlog', 'Todo', 'In Progress', 'In Review', 'Done', 'Canceled', 'Duplicate']

let issues: readonly Row[] = []
let cursor = ''
let problem = ''
let filter = ''
let opened = ''
let said = ''
/** Each team's states and members, by team key. */
const states = new Map<string, readonly string[]>()
const members = new Map<string, readonly string[]>()
/** Details of the open issue. */
let detail: Row = {}

const idOf = (issue: Row) => textAt(issue, 'identifier')
const teamOf = (id: string) => id.slice(0, id.lastIndexOf('-'))
const find = (id: string) => issues.find((issue) => idOf(issue) === id)
const canMove = has('TransitionIssueState')
const canUpdate = has('UpdateIssue')

function columns(): string[] {
  const teams = new Set(issues.map((issue) => teamOf(idOf(issue))))
  const known = [...teams].flatMap((team) => states.get(team) ?? [])
  const place = (name: string) => (usual.indexOf(name) + 1 || usual.length) + known.indexOf(name) / 100
  return [...new Set([...known, ...issues.map((issue) => textAt(issue, 'state'))])].toSorted((one, other) => place(one) - place(other))
}

function put(id: string, fields: Row): void {
  issues = issues.map((issue) => (idOf(issue) === id ? { ...issue, ...fields } : issue))
}

/** Changes an issue's text fields. The change is shown at once, undone on failure, and reported to the model when done. */
async function change(tool: string, args: Row, fields: Row, did: string): Promise<void> {
  const id = textAt(args, 'issue_id')
  const issue = find(id)
  const before = Object.fromEntries(Object.keys(fields).map((name) => [name, textAt(issue, name)]))
  put(id, { ...fields, busy: true })
  said = ''
  draw()
  const answer = await call(tool, args, true)
  if ('problem' in answer) {
    put(id, { ...before, busy: false })
    said = `${id}: ${answer.problem}`
  } else {
    put(id, { ...fields, state: textAt(answer.data, 'issue', 'state'), busy: false })
    said = `You ${did}.`
    tell(`The person ${did}. It is done; do not repeat it.`)
  }
  draw()
}

async function move(id: string, state: string): Promise<void> {
  const from = textAt(find(id), 'state')
  if (!canMove || state === '' || from === state) return
  const did = `moved ${id} from ${quoted(from)} to ${quoted(state)}`
  await change('TransitionIssueState', { issue_id: id, target_state: state }, { state }, did)
}

async function assign(id: string, assignee: string): Promise<void> {
  const args = assignee === '' ? { fields_to_clear: ['assignee'] } : { assignee }
  await change('UpdateIssue', { issue_id: id, ...args }, { assignee }, `assigned ${id} to ${assignee === '' ? 'no one' : quoted(assignee)}`)
}

async function prioritise(id: string, priority: string): Promise<void> {
  await change('UpdateIssue', { issue_id: id, priority }, { priority }, `set the priority of ${id} to ${priority.replace('_', ' ')}`)
}

async function open(id: string): Promise<void> {
  opened = id
  detail = {}
  draw()
  focusCard('back')
  const team = teamOf(id)
  const [issue, found] = await Promise.all([
    has('GetIssue') ? call('GetIssue', { issue_id: id }) : undefined,
    canUpdate && has('GetTeam') && !members.has(team) ? call('GetTeam', { value: team, lookup_by: 'key' }) : undefined,
  ])
  if (found && 'data' in found)
    members.set(
      team,
      listAt(found.data, 'team', 'members').map((each) => textAt(each, 'name')),
    )
  if (issue && opened === id) detail = issue
  draw()
}

function back(): boolean {
  const key = opened
  opened = ''
  draw()
  focusCard(key)
  return true
}

const focusCard = (id = '') => document.querySelector<HTMLElement>(`[data-key="${CSS.escape(id)}"]`)?.focus()

/** Handles arrow keys, which move between cards or, with Shift, move the card to the next state. */
function steer(event: Event, id: string): void {
  if (!(event instanceof KeyboardEvent) || !/^(?:Enter| |Arrow)/.test(event.key)) return
  // Enter would press the newly focused button, and Space would scroll.
  event.preventDefault()
  if (!event.key.startsWith('A')) {
    void open(id)
    return
  }
  const lists = [...document.querySelectorAll('section')].map((list) =>
    [...list.querySelectorAll<HTMLElement>('[data-key]')].map(({ dataset }) => dataset['key'] ?? ''),
  )
  const column = lists.findIndex((list) => list.includes(id))
  const row = lists[column]?.indexOf(id) ?? 0
  const sideways = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0
  if (event.shiftKey) {
    if (sideways !== 0) void move(id, columns()[column + sideways] ?? '')
    return
  }
  if (sideways === 0) focusCard(lists[column]?.[row + (event.key === 'ArrowDown' ? 1 : -1)])
  else {
    const filled = sideways > 0 ? lists.slice(column + 1) : lists.slice(0, column).toReversed()
    const list = filled.find(({ length }) => length > 0)
    focusCard(list?.[Math.min(row, list.length - 1)])
  }
}

function card(issue: Row): HTMLElement {
  const id = idOf(issue)
  const priority = textAt(issue, 'priority')
  const facts = [textAt(issue, 'assignee'), textAt(issue, 'due_date')].filter((text) => text !== '')
  return h(
    'div',
    {
      class: 'card',
      // Firefox cannot drag buttons.
      role: 'button',
      tabindex: '0',
      'data-key': id,
      'aria-busy': at(issue, 'busy') === true && 'true',
      draggable: canMove && 'true',
      click: () => open(id),
      keydown: (event) => {
        steer(event, id)
      },
      dragstart: (event) => event instanceof DragEvent && event.dataTransfer?.setData('text/plain', id),
    },
    dim(id, priority !== '' && priority !== 'no_priority' && h('b', { class: priority }, ` ${priority}`)),
    h('span', { class: 'title' }, textAt(issue, 'title')),
    facts.length > 0 && dim(facts.join(' · ')),
  )
}

function column(state: string): HTMLElement {
  const words = filter.toLowerCase().split(' ')
  const rows = issues.filter(
    (issue) => textAt(issue, 'state') === state && words.every((word) => JSON.stringify(issue).toLowerCase().includes(word)),
  )
  const section = h(
    'section',
    {
      'aria-label': `${state}, ${rows.length}`,
      dragover: (event) => {
        event.preventDefault()
        section.classList.add('over')
      },
      dragleave: () => {
        section.classList.remove('over')
      },
      drop: (event) => {
        event.preventDefault()
        if (event instanceof DragEvent) void move(event.dataTransfer?.getData('text/plain') ?? '', state)
      },
    },
    h('h2', {}, state, dim(` ${rows.length}`)),
    ...rows.map(card),
  )
  return section
}

function issuePage(issue: Row): HTMLElement {
  const id = idOf(issue)
  const own = states.get(teamOf(id)) ?? columns()
  const [state, assignee, priority] = [textAt(issue, 'state'), textAt(issue, 'assignee'), textAt(issue, 'priority') || 'no_priority']
  const text = textAt(detail, 'data', 'issue', 'description') || textAt(detail, 'problem')
  return h(
    'article',
    { keydown: (event) => event instanceof KeyboardEvent && event.key === 'Escape' && back() },
    h('div', { class: 'row' }, h('button', { click: back, 'data-key': 'back' }, '← Board'), dim(id)),
    h('h2', {}, textAt(issue, 'title')),
    h(
      'div',
      { class: 'row' },
      canMove ? select('State', own, state, (name) => move(id, name)) : state,
      canUpdate ? select('Assignee', ['', ...(members.get(teamOf(id)) ?? [])], assignee, (name) => assign(id, name)) : assignee,
      canUpdate ? select('Priority', priorities, priority, (name) => prioritise(id, name)) : priority,
    ),
    h('p', { class: 'text' }, text || (at(detail, 'data') ? 'No description.' : 'Loading…')),
  )
}

async function readMore(): Promise<void> {
  const from = cursor
  const answer = await call(has('ListIssues') ? 'ListIssues' : 'SearchIssues', { ...given(), end_cursor: from })
  // A second click, or a new result, may have come first.
  if (cursor === from) take(answer)
}

function take(answer: Answer): void {
  problem = 'problem' in answer ? answer.problem : ''
  if ('data' in answer) {
    issues = [...(cursor === '' ? [] : issues), ...listAt(answer.data, 'issues')]
    cursor = textAt(answer.data, 'pagination', 'end_cursor')
  }
  draw()
}

function draw(): void {
  const issue = find(opened)
  document.body.classList.toggle('large', isLarge())
  const heading = problem === '' ? `${issues.length} ${issues.length === 1 ? 'issue' : 'issues'}` : 'Issues'
  const board = h('div', { class: 'board', 'data-scroll': 'board' }, ...columns().map(column))
  show(
    h(
      'header',
      {},
      h('h1', {}, heading),
      h('input', {
        type: 'search',
        placeholder: 'Filter',
        'aria-label': 'Filter the issues',
        'data-key': 'filter',
        value: filter,
        ...typing((text) => {
          filter = text
          draw()
        }),
      }),
      cursor !== '' && h('button', { 'data-key': 'more', click: readMore }, 'More'),
      h('button', { 'data-key': 'size', 'aria-expanded': String(isLarge()), click: () => toggleSize(draw) }, isLarge() ? 'Close' : 'Open'),
    ),
    problem !== '' && h('p', { class: 'bad' }, problem),
    issue ? issuePage(issue) : issues.length > 0 ? board : problem === '' && h('p', { class: 'dim' }, 'No issue matches.'),
    h(
      'p',
      { class: 'note', role: 'status' },
      said || (canMove && !issue && issues.length > 0 ? 'Drag a card, or press Shift and an arrow.' : ''),
    ),
  )
}

async function learnStates(): Promise<void> {
  if (!canMove || !has('ListWorkflowStates') || states.size > 0) return
  const answer = await call('ListWorkflowStates', {})
  if (!('data' in answer)) return
  for (const team of listAt(answer.data, 'workflow_states'))
    states.set(
      textAt(team, 'team'),
      listAt(team, 'states').map((each) => textAt(each, 'name')),
    )
  draw()
}

await start({
  result(answer) {
    cursor = ''
    take(answer)
    void learnStates()
  },
  draw,
})
