// A table of projects, which the person sorts.
import { h, show } from '../kit/elements.ts'
import { isLarge, start, toggleSize } from '../kit/host.ts'
import { at, listAt, type Row, textAt } from '../kit/json.ts'

const columns = { name: 'Project', state: 'State', progress: 'Progress', health: 'Health', lead: 'Lead', target_date: 'Target' }

let projects: readonly Row[] = []
let problem = ''
let order = 'target_date'

const isMissing = (row: Row) => (textAt(row, order) === '' ? 1 : 0)
const compare = (one: Row, other: Row) =>
  isMissing(one) - isMissing(other) || textAt(one, order).localeCompare(textAt(other, order), undefined, { numeric: true })

function heading([name, label]: [string, string]): HTMLElement {
  const sort = () => {
    order = name
    draw()
  }
  return h('th', { 'aria-sort': order === name && 'ascending' }, h('button', { 'data-key': name, click: sort }, label))
}

function cell(project: Row, name: string): HTMLElement {
  const progress = at(project, name)
  if (name !== 'progress' || typeof progress !== 'number') return h('td', {}, textAt(project, name))
  const bar = h('progress', { value: String(progress), 'aria-label': `Progress of ${textAt(project, 'name')}` })
  return h('td', {}, bar, ` ${Math.round(progress * 100)} %`)
}

function draw(): void {
  document.body.classList.toggle('large', isLarge())
  const rows = projects.toSorted(compare).map((project) => h('tr', {}, ...Object.keys(columns).map((name) => cell(project, name))))
  const table = h('table', {}, h('thead', {}, h('tr', {}, ...Object.entries(columns).map(heading))), h('tbody', {}, ...rows))
  show(
    h(
      'header',
      {},
      h('h1', {}, `${projects.length} ${projects.length === 1 ? 'project' : 'projects'}`),
      h('button', { 'data-key': 'size', 'aria-expanded': String(isLarge()), click: () => toggleSize(draw) }, isLarge() ? 'Close' : 'Open'),
    ),
    problem === ''
      ? h(
          'div',
          { class: 'table', 'data-scroll': 'table', 'data-key': 'table', tabindex: '0', role: 'group', 'aria-label': 'Projects' },
          table,
        )
      : h('p', { class: 'bad' }, problem),
  )
}

await start({
  result(answer) {
    problem = 'problem' in answer ? answer.problem : ''
    projects = 'data' in answer ? listAt(answer.data, 'projects') : []
    draw()
  },
  draw,
})
