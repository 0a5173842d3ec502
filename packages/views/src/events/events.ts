// The answer to a batch or a file of events: what was refused and why, by row, and what waits in the outbox.
import { h, show } from '../kit/elements.ts'
import { type Answer, call, given, has, isLarge, start, tell, toggleSize } from '../kit/host.ts'
import { at, isRecord, listAt, type Row, textAt } from '../kit/json.ts'

let data: Row = {}
let problem = ''
let said = ''
let waiting: readonly Row[] = []
/** Rows that are done with, and the text of the one that the person corrects. */
const settled = new Map<number, string>()
let editing: { readonly index: number; readonly text: string } | undefined

const canSend = has('SendBatchRequests')

/** The rows of the batch that was sent. */
function batchOf(): readonly Row[] {
  const body = given()['request_body']
  try {
    return listAt(typeof body === 'string' ? JSON.parse(body) : body, 'batch')
  } catch {
    return []
  }
}

/** The numbers in `batch[0-2,5]`. */
function indexesIn(text: string): number[] {
  return [...(/\[([\d,-]+)/.exec(text)?.[1] ?? '').matchAll(/(\d+)(?:-(\d+))?/g)].flatMap(([, from = '0', to = from]) =>
    Array.from({ length: Number(to) - Number(from) + 1 }, (_each, place) => Number(from) + place),
  )
}

function say(sentence: string): void {
  said = sentence
  tell(`${sentence} It is done; do not repeat it.`)
  draw()
}

async function send(): Promise<void> {
  if (!editing) return
  const { index, text } = editing
  let row: unknown
  try {
    row = JSON.parse(text)
  } catch {
    said = 'This is no JSON.'
  }
  if (isRecord(row)) {
    const body = JSON.stringify({ batch: [row] })
    const answer = await call('SendBatchRequests', { mode: 'execute', enable_strict_mode: 'true', request_body: body }, true)
    if ('problem' in answer) said = answer.problem
    else {
      settled.set(index, 'sent')
      editing = undefined
      say(`The person corrected row ${index} and sent it again.`)
    }
  }
  draw()
}

function drop(index: number): void {
  settled.set(index, 'dropped')
  say(`The person dropped row ${index}: it is not to be sent again.`)
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
    say(`The person chose for waiting entry ${id}: it is ${outcome}.`)
  }
  await readWaiting()
}

const fact = (label: string, value: string | number) =>
  value !== '' && h('div', {}, h('b', {}, String(value)), h('span', { class: 'dim' }, label))

function rowLine(index: number, problems: readonly string[], isDropped: boolean): HTMLElement {
  const row = batchOf()[index]
  const name = [textAt(row, 'type'), textAt(row, 'event'), textAt(row, 'userId') || textAt(row, 'anonymousId')].filter(
    (text) => text !== '',
  )
  const state = settled.get(index)
  return h(
    'li',
    {},
    h(
      'div',
      { class: 'row' },
      h('b', {}, `Row ${index}`),
      h('span', { class: 'dim' }, name.join(' · ')),
      state !== undefined && h('span', {}, state),
      isDropped &&
        state === undefined &&
        canSend &&
        h(
          'button',
          {
            'data-key': `fix ${index}`,
            click: () => {
              editing = { index, text: JSON.stringify(row, null, 1) }
              draw()
            },
          },
          'Correct',
        ),
      isDropped &&
        state === undefined &&
        h(
          'button',
          {
            'data-key': `drop ${index}`,
            click: () => {
              drop(index)
            },
          },
          'Drop',
        ),
    ),
    ...problems.map((text) => h('p', { class: isDropped ? 'bad' : 'dim' }, text)),
    editing?.index === index &&
      h(
        'textarea',
        {
          'aria-label': `Row ${index}`,
          'data-key': 'row',
          rows: '5',
          input: ({ target }) => {
            if (editing && target instanceof HTMLTextAreaElement) editing = { ...editing, text: target.value }
          },
        },
        editing.text,
      ),
    editing?.index === index && h('button', { 'data-key': 'send', click: send }, 'Send again'),
  )
}

function findings(): HTMLElement[] {
  const dropped = new Set(indexesIn(textAt(data, 'dropped')))
  const byRow = new Map<number, string[]>([...dropped].map((index) => [index, []]))
  for (const each of listAt(data, 'findings')) {
    const [where, what] = [textAt(each, 'at'), textAt(each, 'problem')]
    for (const index of indexesIn(where))
      byRow.set(index, [...(byRow.get(index) ?? []), `${where.replace(/^batch\[[^\]]*\]\.?/, '')} ${what}`.trim()])
  }
  const rows = [...byRow].toSorted(([one], [other]) => Number(dropped.has(other)) - Number(dropped.has(one)) || one - other)
  const kinds = (name: string) =>
    listAt(data, name)
      .filter((each) => textAt(each, 'rows') !== '')
      .map((each) =>
        h(
          'li',
          {},
          h('b', {}, `Rows ${textAt(each, 'rows')}`),
          h('p', { class: name === 'refused' ? 'bad' : 'dim' }, textAt(each, 'problem')),
        ),
      )
  return [...rows.map(([index, texts]) => rowLine(index, texts, dropped.has(index))), ...kinds('refused'), ...kinds('findings')]
}

const waitingLine = (entry: Row) => {
  const id = Number(textAt(entry, 'id'))
  return h(
    'li',
    {},
    h(
      'div',
      { class: 'row' },
      h('b', {}, textAt(entry, 'call')),
      h('span', { class: 'dim' }, [textAt(entry, 'state'), textAt(entry, 'next_attempt_at')].join(' ')),
      has('SendWaitingEvent') && h('button', { 'data-key': `send ${id}`, click: () => settle('SendWaitingEvent', id) }, 'Send now'),
      has('DropWaitingEvent') && h('button', { 'data-key': `forget ${id}`, click: () => settle('DropWaitingEvent', id) }, 'Drop'),
    ),
    textAt(entry, 'last_error') !== '' && h('p', { class: 'bad' }, textAt(entry, 'last_error')),
  )
}

function draw(): void {
  document.body.classList.toggle('large', isLarge())
  const rows = at(data, 'rows')
  const total = batchOf().length || textAt(data, 'message_count')
  const dropped = indexesIn(textAt(data, 'dropped')).length
  const id = textAt(data, 'backfill')
  const lines = findings()
  const refresh = async () => {
    take(await call('GetBackfill', { backfill: id }))
  }
  show(
    h(
      'header',
      {},
      h('h1', {}, textAt(data, 'outcome').replace('_', ' ') || 'Events'),
      id !== '' && has('GetBackfill') && h('button', { 'data-key': 'refresh', click: refresh }, 'Refresh'),
      h('button', { 'data-key': 'size', 'aria-expanded': String(isLarge()), click: () => toggleSize(draw) }, isLarge() ? 'Less' : 'Open'),
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
    lines.length > 0 && h('ul', { 'data-scroll': 'rows', tabindex: '0', 'data-key': 'rows', 'aria-label': 'Findings by row' }, ...lines),
    waiting.length > 0 && h('h2', {}, `${waiting.length} in the outbox`),
    waiting.length > 0 &&
      h('ul', { 'data-scroll': 'outbox', tabindex: '0', 'data-key': 'outbox', 'aria-label': 'Outbox' }, ...waiting.map(waitingLine)),
    said !== '' && h('p', { class: 'note', role: 'status' }, said),
  )
}

function take(answer: Answer): void {
  problem = 'problem' in answer ? answer.problem : ''
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
