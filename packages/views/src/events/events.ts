// The result of sending a batch or a file of events: what was refused and why, by row, and what is waiting in the outbox.
import { dim, h, show } from '../kit/elements.ts'
import { type Answer, call, given, has, isLarge, start, tell, toggleSize } from '../kit/host.ts'
import { at, isRecord, listAt, type Row, textAt } from '../kit/json.ts'

let data: Row = {}
let problem = ''
let said = ''
let waiting: readonly Row[] = []
/** The arguments of the call whose answer is shown, after the person has resent a file's rows. */
let resent: Row | undefined
/** Finished rows, and text that the person is correcting, by name. */
const settled = new Map<string, string>()
let editing: { readonly name: string; readonly text: string } | undefined

const canSend = has('SendBatchRequests')
/** The sent file's arguments; if the model checks the file later, they come without its text. */
const sent = (): Row => {
  const stored = at(data, 'arguments')
  return resent ?? { ...(isRecord(stored) && stored), ...given() }
}

function batchOf(): readonly Row[] {
  const body = sent()['request_body']
  try {
    return listAt(typeof body === 'string' ? JSON.parse(body) : body, 'batch')
  } catch {
    return []
  }
}

/** The numbers in `batch[0-2,5]` and in `4,7-9`. */
function numbersIn(text: string): number[] {
  return [...(/[\d,-]+/.exec(text)?.[0] ?? '').matchAll(/(\d+)(?:-(\d+))?/g)].flatMap(([, from = '0', to = from]) =>
    Array.from({ length: Number(to) - Number(from) + 1 }, (_each, place) => Number(from) + place),
  )
}

function say(did: string): void {
  said = `You ${did}.`
  tell(`The person ${did}. It is done; do not repeat it.`)
  draw()
}

/** Sends rows again. A file's rows become a new file, whose answer is shown instead. */
async function send(name: string, tool: string, args: Row): Promise<void> {
  const answer = await call(tool, args, true)
  if ('data' in answer) {
    editing = undefined
    settled.set(name, 'sent')
    if (tool === 'SendEventsFromFile') {
      resent = args
      settled.clear()
      take(answer)
    }
    say(`corrected and sent ${name} again: ${textAt(answer.data, 'outcome').replace('_', ' ')}`)
  } else {
    said = answer.problem
    draw()
  }
}

async function sendRow(name: string, text: string): Promise<void> {
  let row: unknown
  try {
    row = JSON.parse(text)
  } catch {
    row = undefined
  }
  if (!isRecord(row)) said = 'This is not a JSON object.'
  const args = { mode: 'execute', enable_strict_mode: 'true', request_body: JSON.stringify({ batch: [row] }) }
  if (isRecord(row)) await send(name, 'SendBatchRequests', args)
  else draw()
}

function drop(name: string): void {
  settled.set(name, 'dropped')
  say(`dropped ${name}: not to be sent again`)
}

async function readWaiting(): Promise<void> {
  if (!has('ListWaitingEvents')) return
  const answer = await call('ListWaitingEvents', {})
  if ('data' in answer) waiting = listAt(answer.data, 'events')
  draw()
}

async function settle(tool: string, id: number): Promise<void> {
  const answer = await call(tool, { id }, true)
  if ('problem' in answer) said = answer.problem
  else {
    const outcome = textAt(answer.data, 'outcome')
    say(`decided about waiting entry ${id}: it is ${outcome}`)
  }
  await readWaiting()
}

/** Rows with the same mistakes. */
interface Line {
  readonly name: string
  readonly about: string
  readonly problems: readonly string[]
  readonly isRefused: boolean
  /** Text to correct; absent if the person cannot correct it here. */
  readonly text?: string
}

const button = (name: string, label: string, click: () => unknown) => h('button', { 'data-key': `${label} ${name}`, click }, label)

const correct = (name: string, text: string) =>
  button(name, 'Correct', () => {
    editing = { name, text }
    draw()
  })

/** The text for the person to correct, and the button that sends it. */
const editor = (name: string, submit: (name: string, text: string) => unknown) =>
  editing?.name === name &&
  h(
    'div',
    {},
    h(
      'textarea',
      {
        'aria-label': name,
        'data-key': 'row',
        rows: '5',
        input: ({ target }) => {
          if (target instanceof HTMLTextAreaElement) editing = { name, text: target.value }
        },
      },
      editing.text,
    ),
    button('', 'Send again', () => editing && submit(name, editing.text)),
  )

function lineOf({ name, about, problems, isRefused, text }: Line): HTMLElement {
  const state = settled.get(name)
  const isOpen = isRefused && state === undefined
  return h(
    'li',
    {},
    h(
      'div',
      { class: 'row' },
      h('b', {}, name),
      dim(about),
      state !== undefined && h('span', {}, state),
      isOpen && text !== undefined && correct(name, text),
      isOpen &&
        button(name, 'Drop', () => {
          drop(name)
        }),
    ),
    ...problems.map((each) => h('p', { class: isRefused ? 'bad' : 'dim' }, each)),
    text !== undefined && editor(name, sendRow),
  )
}

/** Remarks on the rows of a batch, refused ones first. */
function batchLines(): Line[] {
  const dropped = new Set(numbersIn(textAt(data, 'dropped')))
  const byRow = new Map<number, string[]>([...dropped].map((index) => [index, []]))
  for (const each of listAt(data, 'findings')) {
    const [where, what] = [textAt(each, 'at'), textAt(each, 'problem')]
    for (const index of numbersIn(where))
      byRow.set(index, [...(byRow.get(index) ?? []), `${where.replace(/^batch\[[^\]]*\]\.?/, '')} ${what}`.trim()])
  }
  const rows = [...byRow].toSorted(([one], [other]) => Number(dropped.has(other)) - Number(dropped.has(one)) || one - other)
  return rows.map(([index, problems]) => {
    const row = batchOf()[index]
    const facts = [textAt(row, 'type'), textAt(row, 'event'), textAt(row, 'userId') || textAt(row, 'anonymousId')]
    const about = facts.filter((text) => text !== '').join(' · ')
    return { name: `row ${index}`, about, problems, isRefused: dropped.has(index), ...(canSend && { text: JSON.stringify(row, null, 1) }) }
  })
}

/** Remarks on the rows of a file: one for each kind of mistake. */
const fileLines = (list: string): Line[] =>
  listAt(data, list)
    .filter((each) => textAt(each, 'rows') !== '')
    .map((each) => ({
      name: `rows ${textAt(each, 'rows')}`,
      about: '',
      problems: [textAt(each, 'problem')],
      isRefused: list === 'refused',
    }))

const isCsv = () => (textAt(sent(), 'format') || (textAt(sent(), 'text').trimStart().startsWith('{') ? 'ndjson' : 'csv')) === 'csv'

/** The rows of the file sent as text, by number. */
function fileRows(): readonly string[] {
  const text = textAt(sent(), 'text')
  const rows = isCsv() ? (text.match(/(?:"[^"]*"|[^"\n])+/g) ?? []).filter((row) => row !== '\r') : text.split('\n')
  return ['', ...rows]
}

/** Buttons that resend a file's refused part: text corrected here, or rows of a file corrected elsewhere. */
function fileActions(): (HTMLElement | false)[] {
  const whole: Row = Object.fromEntries(Object.entries(sent()).filter(([name]) => name !== 'backfill'))
  const args: Row = Object.fromEntries(Object.entries(whole).filter(([name]) => name !== 'rows'))
  const open = fileLines('refused').filter(({ name }) => !settled.has(name))
  const numbers = [...new Set(open.map(({ name }) => name.slice(5).replace(/,?…/, '')))].join(',')
  if (!has('SendEventsFromFile') || args['dry_run'] === true || (problem === '' && numbers === '')) return []
  const name = problem === '' ? `rows ${numbers}` : 'the file'
  if (textAt(args, 'source_url') !== '')
    return [button(name, 'Send again', () => send(name, 'SendEventsFromFile', problem === '' ? { ...args, rows: numbers } : whole))]
  if (typeof args['text'] !== 'string') return []
  const rows = fileRows()
  const head = isCsv() ? 1 : 0
  // A row with several mistakes appears in several lists.
  const bad = problem === '' ? [...new Set(numbersIn(numbers))].map((number) => rows[number] ?? '') : rows.slice(1 + head)
  const submit = (_name: string, text: string) =>
    send(name, 'SendEventsFromFile', { ...args, text: [...rows.slice(1, 1 + head), text].join('\n') })
  return [editing === undefined && correct(name, bad.join('\n')), editor(name, submit)]
}

const fact = (label: string, value: string | number) => value !== '' && h('div', {}, h('b', {}, String(value)), dim(label))

const waitingLine = (entry: Row) => {
  const id = Number(textAt(entry, 'id'))
  return h(
    'li',
    {},
    h(
      'div',
      { class: 'row' },
      h('b', {}, textAt(entry, 'call')),
      dim([textAt(entry, 'state'), textAt(entry, 'next_attempt_at')].join(' ')),
      has('SendWaitingEvent') && button(`entry ${id}`, 'Send now', () => settle('SendWaitingEvent', id)),
      has('DropWaitingEvent') && button(`entry ${id}`, 'Drop', () => settle('DropWaitingEvent', id)),
    ),
    textAt(entry, 'last_error') !== '' && h('p', { class: 'bad' }, textAt(entry, 'last_error')),
  )
}

function draw(): void {
  document.body.classList.toggle('large', isLarge())
  const rows = at(data, 'rows')
  const total = batchOf().length || textAt(data, 'message_count')
  const dropped = numbersIn(textAt(data, 'dropped')).length
  const id = textAt(data, 'backfill')
  const lines = (isRecord(rows) ? [...fileLines('refused'), ...fileLines('findings')] : batchLines()).map(lineOf)
  const refresh = async () => {
    take(await call('GetBackfill', { backfill: id }))
  }
  show(
    h(
      'header',
      {},
      h('h1', {}, textAt(data, 'outcome').replace('_', ' ') || 'Events'),
      id !== '' && has('GetBackfill') && h('button', { 'data-key': 'refresh', click: refresh }, 'Refresh'),
      h('button', { 'data-key': 'size', 'aria-expanded': String(isLarge()), click: () => toggleSize(draw) }, isLarge() ? 'Close' : 'Open'),
    ),
    problem !== '' && h('p', { class: 'bad' }, problem),
    h(
      'div',
      { class: 'facts' },
      ...(isRecord(rows)
        ? ['read', 'accepted', 'refused', 'waiting'].map((name) => fact(name, textAt(rows, name)))
        : [fact('rows', total || ''), fact('refused', dropped || '')]),
      fact('seconds left', textAt(data, 'seconds_left')),
    ),
    ...fileActions(),
    lines.length > 0 && h('ul', { 'data-scroll': 'rows', tabindex: '0', 'data-key': 'rows', 'aria-label': 'Findings by row' }, ...lines),
    waiting.length > 0 && h('h2', {}, `${waiting.length} in the outbox`),
    waiting.length > 0 &&
      h('ul', { 'data-scroll': 'outbox', tabindex: '0', 'data-key': 'outbox', 'aria-label': 'Outbox' }, ...waiting.map(waitingLine)),
    said !== '' && h('p', { class: 'note', role: 'status' }, said),
  )
}

function take(answer: Answer): void {
  // The file may have turned out to be unreadable after its call was answered.
  problem = 'problem' in answer ? answer.problem : textAt(answer.data, 'outcome') === 'failed' ? textAt(answer.data, 'last_error') : ''
  if ('data' in answer) data = answer.data
  draw()
}

await start({
  result(answer) {
    take(answer)
    void readWaiting()
  },
  draw,
})
