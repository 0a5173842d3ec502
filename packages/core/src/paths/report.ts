import { createChoice } from '../matching/report.ts'
import { Ambiguous, NotFound, type Suggestion } from '../errors.ts'
import { rank } from '../matching/rank.ts'
import type { Arrival, Journey, PathItem, PathQuery, PathScope, Waypoint } from './walk.ts'
import type { PathText } from './path.ts'

/** Most items that are listed for a path that means several. */
const mostListed = 20
const mostSuggestions = 5
/** A name that is less alike only distracts. */
const suggestedFrom = 0.55
/** How much of a path is repeated in a message, in UTF-16 units. */
const quotedLength = 200

type Reported<Item extends PathItem> = Pick<PathScope<Item>, 'name' | 'root' | 'listChildren' | 'describe'>

/** Says everything that a path can mean, and lets a person choose. */
export function severalItems<Item extends PathItem>(
  { text, parameter }: PathQuery,
  arrivals: readonly Arrival<Item>[],
  { name, describe }: Reported<Item>,
): Ambiguous {
  const all = arrivals.map(({ item, trail }) => {
    const about = describe?.(item)
    return { id: item.id, kind: item.kind, path: trail.join('/'), about: about === undefined ? '' : `, ${about}` }
  })
  const listed = all.slice(0, mostListed)
  const shown = listed.map(({ id, kind, path, about }) => `${kind} ${quoted(path)} (id ${id}${about})`)
  const more = all.length > listed.length ? `; and ${all.length - listed.length} more` : ''
  const candidates = all.map(({ id, kind, path, about }) => ({ id, name: path, parent: `${kind}${about}` }))
  return new Ambiguous(
    `${quoted(text)} means ${all.length} items in ${name}: ${shown.join('; ')}${more}. Pass the id of the one that is meant.`,
    {
      suggestions: listed.map(({ id, path }) => ({ value: path, id, confidence: 1 })),
      choices: [createChoice(candidates, { parameter, reference: text, kind: 'item' })],
    },
  )
}

/** Says how far a path goes, and which names come nearest there. */
export async function nothingThere<Item extends PathItem>(
  path: PathText,
  { waypoints, deadEnds }: Journey<Item>,
  area: Reported<Item>,
): Promise<NotFound> {
  const end = waypoints.reduce((deepest, waypoint) => (waypoint.position > deepest.position ? waypoint : deepest), start(area.root))
  const missing = path.rest(end.position).replace(/^\/+|\/+$/g, '')
  const inTheWay = deadEnds.find(({ trail }) => trail.length > end.trail.length)
  const suggestions = inTheWay ? [] : await nearest(missing, end, area)
  const closest = [...new Set(suggestions.map(({ value }) => quoted(value)))].join(', ')
  const sentences = [
    `Nothing in ${area.name} has the path ${quoted(path.text)}.`,
    inTheWay ? whatEnds(inTheWay) : whatIsMissing(missing, end, area),
    ...(closest === '' ? [] : [`Closest: ${closest}.`]),
    ...(path.text === area.name ? [`The top of ${area.name} itself is "${area.root}".`] : []),
  ]
  return new NotFound(sentences.join(' '), { suggestions })
}

function whatEnds<Item extends PathItem>({ item, trail }: Arrival<Item>): string {
  const what = `${quoted(trail.join('/'))} is a ${item.kind}`
  return item.opensFolder === undefined ? `${what}: nothing lies in it.` : `${what}, and what it leads to is gone or cannot be seen.`
}

function whatIsMissing<Item extends PathItem>(missing: string, { trail }: Waypoint, { name }: Reported<Item>): string {
  const there = trail.length === 0 ? `At the top of ${name}` : `The path goes as far as ${quoted(trail.join('/'))}; in it`
  return `${there} there is no ${quoted(firstName(missing))}, case included.`
}

function start(root: string): Waypoint {
  return { folder: root, position: 0, trail: [] }
}

function firstName(rest: string): string {
  return rest.split('/')[0] ?? rest
}

async function nearest<Item extends PathItem>(missing: string, end: Waypoint, area: Reported<Item>): Promise<Suggestion[]> {
  const children = await area.listChildren(end.folder)
  const likeFirst = rank(
    firstName(missing),
    children.map(({ name }) => name),
  )
  const likeAll = missing.includes('/')
    ? rank(
        missing,
        children.map(({ name }) => name),
      )
    : []
  return [...likeFirst, ...likeAll]
    .filter(({ confidence }) => confidence >= suggestedFrom)
    .sort((a, b) => b.confidence - a.confidence)
    .flatMap(({ index, confidence }) => {
      const child = children[index]
      if (!child) return []
      return [{ value: [...end.trail, child.name].join('/'), id: child.id, confidence: Math.round(confidence * 100) / 100 }]
    })
    .filter(({ id }, index, all) => all.findIndex((other) => other.id === id) === index)
    .slice(0, mostSuggestions)
}

function quoted(text: string): string {
  return JSON.stringify(text.length > quotedLength ? `${text.slice(0, quotedLength)}…` : text)
}
