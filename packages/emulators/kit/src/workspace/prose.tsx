import { WebLink } from './elements.tsx'
import type { Content } from './workspace.ts'

/**
 * Maximum length of formatted text. Longer text, or text with longer lines, stays as written: searching it for marks would take noticeable
 * time.
 */
const maxText = 50_000
const maxLine = 2_000
/** Maximum number of levels of nested lists and quotes; deeper ones become paragraphs. */
const maxDepth = 5

type Part = Content | string

/** Markdown text as elements. All of it is escaped, since it only ever becomes an element's text: HTML stays text. */
export function Prose({ text, under = 1 }: { readonly text: string; readonly under?: number }) {
  const isShort = text.length <= maxText && !text.split('\n').some((line) => line.length > maxLine)
  return (
    <div class="prose" dir="auto">
      {isShort ? blocks(text.split(/\r?\n/), { level: under, depth: 0 }) : <p>{text}</p>}
    </div>
  )
}

interface Place {
  /** Level of the last heading, so that none is skipped. */
  level: number
  readonly depth: number
}

const fence = /^ {0,3}(```|~~~)/
const heading = /^ {0,3}(#{1,6}) (.*)$/
const rule = /^ {0,3}(?:(?:- ?){3,}|(?:\* ?){3,}|(?:_ ?){3,})$/
const quote = /^ {0,3}> ?/
const item = /^( *)(?:[-*+]|(\d{1,9})[.)]) +(?=\S)/
const row = /^ *\|.*\| *$/
const dividers = /^ *\|(?: *:?-+:? *\|)+ *$/
const starts = [fence, heading, rule, quote, item, row]

/** The lines from `start` that satisfy a condition. */
function run(lines: readonly string[], start: number, belongs: (line: string, index: number) => boolean): readonly string[] {
  let end = start
  while (end < lines.length && belongs(lines[end] ?? '', end)) end += 1
  return lines.slice(start, end)
}

function blocks(lines: readonly string[], place: Place): Content[] {
  const made: Content[] = []
  for (let at = 0; at < lines.length;) {
    const { block, used } = blockAt(lines, at, place)
    if (block !== undefined) made.push(block)
    at += used
  }
  return made
}

interface Block {
  readonly block?: Content
  /** Number of lines it covers. */
  readonly used: number
}

function blockAt(lines: readonly string[], at: number, place: Place): Block {
  const line = lines[at] ?? ''
  if (line.trim() === '') return { used: 1 }
  const [, mark] = fence.exec(line) ?? []
  if (mark !== undefined) {
    const code = run(lines, at + 1, (each) => !each.trim().startsWith(mark))
    const shown = (
      <pre tabindex={0}>
        <code>{code.join('\n')}</code>
      </pre>
    )
    return { block: shown, used: code.length + 2 }
  }
  const [, marks, title = ''] = heading.exec(line) ?? []
  if (marks !== undefined) return { block: headingOf(marks.length, title.trim(), place), used: 1 }
  if (rule.test(line)) return { block: <hr />, used: 1 }
  if (row.test(line) && dividers.test(lines[at + 1] ?? '')) return tableAt(lines, at)
  const inside = { level: place.level, depth: place.depth + 1 }
  if (quote.test(line) && place.depth < maxDepth) {
    const quoted = run(lines, at, (each) => quote.test(each))
    const inner = quoted.map((each) => each.replace(quote, ''))
    return { block: <blockquote>{blocks(inner, inside)}</blockquote>, used: quoted.length }
  }
  if (item.test(line) && place.depth < maxDepth) return listAt(lines, at, inside)
  const paragraph = run(lines, at, (each, index) => each.trim() !== '' && (index === at || !starts.some((start) => start.test(each))))
  return { block: <p>{inline(paragraph.join('\n'))}</p>, used: paragraph.length }
}

function headingOf(depth: number, title: string, place: Place): Content {
  place.level = Math.min(depth + 1, place.level + 1, 5)
  return <Heading level={place.level}>{inline(title)}</Heading>
}

function Heading({ level, children }: { readonly level: number; readonly children?: unknown }) {
  if (level <= 2) return <h2>{children}</h2>
  if (level === 3) return <h3>{children}</h3>
  return level === 4 ? <h4>{children}</h4> : <h5>{children}</h5>
}

const cellsOf = (line: string) => line.trim().slice(1, -1).split('|')

function tableAt(lines: readonly string[], at: number): Block {
  const rows = run(lines, at, (line) => row.test(line))
  const table = (
    <div class="wide" tabindex={0} role="region" aria-label="Table">
      <table>
        <thead>
          <tr>{cellsOf(rows[0] ?? '').map((cell) => (cell.trim() === '' ? <td /> : <th scope="col">{inline(cell.trim())}</th>))}</tr>
        </thead>
        <tbody>
          {rows.slice(2).map((line) => (
            <tr>
              {cellsOf(line).map((cell) => (
                <td>{inline(cell.trim())}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
  return { block: table, used: rows.length }
}

function listAt(lines: readonly string[], at: number, inside: Place): Block {
  const [, indent = '', first] = item.exec(lines[at] ?? '') ?? []
  const isOwn = (line: string) => item.exec(line)?.[1] === indent
  const isInside = (line: string) => line.startsWith(`${indent}  `)
  const all = run(lines, at, (line, index) => isOwn(line) || isInside(line) || (line.trim() === '' && isInside(lines[index + 1] ?? '')))
  const begins = all.flatMap((line, index) => (isOwn(line) ? [index] : []))
  const items = begins.map((begin, index) => {
    const own = all.slice(begin, begins[index + 1])
    const rest = own.slice(1).map((line) => line.slice(indent.length + 2))
    const text = (own[0] ?? '').replace(item, '')
    const [, box] = /^\[([ xX])\] /.exec(text) ?? []
    return (
      <li>
        {box !== undefined && <span>{box === ' ' ? '☐ ' : '☑ '}</span>}
        {inline(box === undefined ? text : text.slice(4))}
        {blocks(rest, inside)}
      </li>
    )
  })
  return { block: first === undefined ? <ul>{items}</ul> : <ol start={Number(first)}>{items}</ol>, used: all.length }
}

/** Marked text and links. Their lengths are bounded, so that text consisting only of marks takes no longer than any other. */
const marked =
  /`([^`\n]{1,300})`|\*\*([^*\n]{1,300})\*\*|__([^_\n]{1,300})__|\*([^*\s][^*\n]{0,300})\*|(?<!\w)_([^_\s][^_\n]{0,300})_(?!\w)|~~([^~\n]{1,300})~~|!?\[([^\][\n]{1,300})\]\(([^()\s]{1,500})(?: "[^"\n]{0,300}")?\)|(https?:\/\/[^\s<>()]{1,500}[^\s<>().,;:!?])/g

function inline(text: string): Part[] {
  const parts: Part[] = []
  let end = 0
  for (const match of text.matchAll(marked)) {
    const [all, code, bold, alsoBold, slanted, alsoSlanted, struck, label, target, address] = match
    parts.push(text.slice(end, match.index))
    end = match.index + all.length
    if (code !== undefined) parts.push(<code>{code}</code>)
    else if (label !== undefined) parts.push(<WebLink url={target ?? ''}>{label}</WebLink>)
    else if (address !== undefined) parts.push(<WebLink url={address} />)
    else if (struck !== undefined) parts.push(<s>{inline(struck)}</s>)
    else if (bold !== undefined || alsoBold !== undefined) parts.push(<strong>{inline(bold ?? alsoBold ?? '')}</strong>)
    else parts.push(<em>{inline(slanted ?? alsoSlanted ?? '')}</em>)
  }
  return [...parts, text.slice(end)]
}
