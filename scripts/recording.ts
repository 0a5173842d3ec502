// The README's picture: an agent fulfils one of the README's requests with a real server while this runs.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { isObject, type JsonObject, member } from '../packages/core/src/base/json.ts'
import { wrap } from '../packages/server/src/cli/view.ts'
import { connect } from '../packages/testing/src/connect.ts'
import { root } from '../releases/releases.ts'
import { issueTracker } from '../servers.ts'

const wish = 'Move the pack-opening crash to review, and add a comment saying what changed.'

/** One line of the conversation, before it is wrapped. */
interface Said {
  readonly by: 'you' | 'agent' | 'call' | 'result' | 'error'
  readonly text: string
}

/** The conversation of an agent that knows only the request and the tools' answers, and misspells a state's name. */
async function converse(): Promise<Said[]> {
  await using server = await issueTracker.withDefinition((definition) => connect(definition, { embedded: true }))
  const said: Said[] = [{ by: 'you', text: wish }]
  const say = (by: Said['by'], text: string) => said.push({ by, text })
  const name = (tool: string, args: JsonObject) => {
    const words = Object.entries(args).map(([parameter, value]) => `${parameter}: ${JSON.stringify(value)}`)
    say('call', `${tool}  ${words.join(', ')}`)
    return `${issueTracker.prefix}.${tool}`
  }
  const call = async (tool: string, args: JsonObject) => server.call(name(tool, args), { ...args })

  const { issues } = await call('ListIssues', { keywords: 'crash pack', state: 'open' })
  const [issue] = rows(issues)
  const issueId = text(issue, 'identifier')
  say('result', `${issueId} ${text(issue, 'title')} · ${text(issue, 'state')} · ${text(issue, 'assignee')}`)

  const { comments } = await call('ListComments', { issue: issueId })
  for (const comment of rows(comments)) say('result', `${text(comment, 'user')}: ${text(comment, 'body')}`)

  const target = { issue_id: issueId, target_state: 'Review' }
  const { message, next } = await server.fails(name('TransitionIssueState', target), { ...target })
  say('error', message)
  say('error', `next: ${JSON.stringify(next)}`)

  const moved = await call('TransitionIssueState', { ...target, ...next?.change })
  say('result', `${text(moved, 'issue', 'identifier')}: ${text(moved, 'previous_state')} → ${text(moved, 'issue', 'state')}`)

  const { comment } = await call('AddComment', { issue: issueId, body: 'Packs are now read in blocks of 64 KB, which removes the crash.' })
  say('result', `comment on ${text(comment, 'issue')}`)
  say('agent', `${issueId} is ${text(moved, 'issue', 'state').toLowerCase()}. I commented that packs are now read in blocks of 64 KB.`)
  return said
}

const rows = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function text(value: unknown, ...names: readonly string[]): string {
  const found = names.reduce(member, value)
  if (typeof found !== 'string') throw new Error(`There is no ${names.join('.')} in ${JSON.stringify(isObject(value) ? value : null)}.`)
  return found
}

const marks = { you: 'You', agent: 'Agent', call: '→', result: '←', error: '✗' } as const
const [width, left, lineHeight, columns] = [820, 84, 21, 88]
const secondsPerLine = 0.9

/** Text appears line by line, one time only, or all at once for people who prefer reduced motion. */
const style = `
rect{fill:#fff;stroke:#d0d7de}text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#59636e;white-space:pre}
.you,.agent{font:600 15px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#1f2328}.call{fill:#0550ae}.error{fill:#b3261e}
g{animation:appear .3s both}
@keyframes appear{from{opacity:0}}
@media (prefers-reduced-motion:reduce){g{animation:none}}
@media (prefers-color-scheme:dark){rect{fill:#0d1117;stroke:#3d444d}text{fill:#9198a1}.you,.agent{fill:#f0f6fc}.call{fill:#79c0ff}.error{fill:#ffa198}}`

function drawn(said: readonly Said[]): string {
  let y = 20
  const groups = said.map(({ by, text: whole }, index) => {
    const isTurn = by === 'you' || by === 'agent' || by === 'call'
    if (isTurn) y += 9
    const lines = wrap(whole, columns).map((line, number) => {
      y += lineHeight
      const mark = number === 0 ? `<text class="${by}" x="24" y="${y}">${marks[by]}</text>` : ''
      return `${mark}<text class="${by}" x="${left}" y="${y}">${escaped(line)}</text>`
    })
    return `<g style="animation-delay:${Math.round(index * secondsPerLine * 10) / 10}s">${lines.join('\n')}</g>`
  })
  const [title, height] = ['An agent with the server for Linear, on sample data', y + 22]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">`,
    `<title>${title}</title><style>${style}</style>`,
    `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="10"/>`,
    ...groups,
    '</svg>\n',
  ].join('\n')
}

const escaped = (line: string) => line.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** The picture's file and content. Throws if the README does not contain the request. */
export async function recording(): Promise<[string, string]> {
  if (!readFileSync(path.join(root, 'README.md'), 'utf8').includes(wish)) throw new Error(`The README has no prompt "${wish}"`)
  return [path.join('docs', 'images', 'agent-at-work.svg'), drawn(await converse())]
}
