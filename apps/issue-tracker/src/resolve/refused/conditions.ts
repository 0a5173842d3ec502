import { isDeepStrictEqual } from 'node:util'
import { isObject, type JsonObject, parseJson } from '@mcp-toolkits/core/base'
import { stateTypes, stateWords } from '../../linear/teams.ts'

/** A condition of a filter in the form of Linear's API, such as `state.type in ["started"]`. */
interface Condition {
  readonly path: readonly string[]
  readonly sign: string
  readonly value: unknown
}

const signs = 'eq eqIgnoreCase neq neqIgnoreCase in nin gt gte lt lte null contains containsIgnoreCase startsWith'.split(' ')
const hasSign = new RegExp(`"(?:${signs.join('|')})":`)
const holders = ['filter', 'filters', 'where']
/** Members that identify a record. */
const identifying = ['id', 'key', 'name', 'email', 'displayName', 'number', 'slugId', 'identifier']

/** A call's arguments in a tool's own terms, and the conditions that no argument can express. */
export interface Restated {
  readonly args: JsonObject
  readonly lost: readonly string[]
}

/** The arguments that mean the same as conditions in the form of Linear's API; undefined if there are no such conditions. */
export function readConditions(written: JsonObject): Restated | undefined {
  const args: Record<string, unknown> = {}
  const lost: string[] = []
  let isForeign = false
  for (const [name, value] of Object.entries(written)) {
    const held = typeof value === 'string' && holders.includes(name) ? (parseJson(value) ?? value) : value
    if (!isObject(held) || !hasSign.test(JSON.stringify(held))) {
      args[name] = value
      continue
    }
    isForeign = true
    for (const condition of conditionsIn(held, holders.includes(name) ? [] : [name])) {
      const [parameter, meant] = meaningOf(condition) ?? []
      if (parameter === undefined || Object.hasOwn(args, parameter) || (parameter !== name && Object.hasOwn(written, parameter)))
        lost.push(show(condition))
      else args[parameter] = meant
    }
  }
  return isForeign ? { args, lost } : undefined
}

const show = ({ path, sign, value }: Condition) => `${path.join('.')} ${JSON.stringify({ [sign]: value })}`.trim()

function conditionsIn(value: unknown, path: readonly string[]): Condition[] {
  if (Array.isArray(value) && value.some(isObject)) return value.flatMap((each: unknown) => conditionsIn(each, path))
  if (!isObject(value)) return [{ path, sign: Array.isArray(value) ? 'in' : 'eq', value }]
  return Object.entries(value).flatMap(([key, held]): Condition[] => {
    if (key === 'or') return [eitherOf(held, path)]
    if (signs.includes(key)) return [{ path, sign: key, value: held }]
    return conditionsIn(held, key === 'and' || key === 'some' ? path : [...path, key])
  })
}

/** Alternatives as one list of values, if they differ only in the value. */
function eitherOf(held: unknown, path: readonly string[]): Condition {
  const either: readonly unknown[] = [held].flat()
  const found = either.map((each) => conditionsIn(each, path))
  const [[first] = []] = found
  const isSame = found.every(([one, ...more]) => one?.sign === 'eq' && more.length === 0 && isDeepStrictEqual(one.path, first?.path))
  return first && isSame ? { ...first, sign: 'in', value: found.flat().map(({ value }) => value) } : { path, sign: 'or', value: held }
}

/** The argument that expresses a condition, by the name that the caller used. */
function meaningOf({ path, sign, value }: Condition): readonly [name: string, value: unknown] | undefined {
  const [name = '', ...parts] = path.map((each) =>
    each
      .replace(/(?<=[a-z])(?=[A-Z])/g, '_')
      .toLowerCase()
      .replace(/^is_/, ''),
  )
  const part = parts.length > 1 ? '-' : path[1]
  const moment = /^(created|updated|due)_(?:at|date)$/.exec(name)?.[1]
  if (moment !== undefined && part === undefined && /^[gl]te?$/.test(sign))
    return [`${moment}_${sign.startsWith('g') ? 'after' : 'before'}`, value]
  if (/^(?:contains|startsWith)/.test(sign))
    return /^(?:title|description|searchable_content|name)$/.test(path.join()) ? ['keywords', value] : undefined
  if (sign === 'null') return name === 'assignee' && value === true ? ['unassigned', true] : undefined
  const values = valuesOf(name === 'state' && part === 'type' ? stateTypes : name === 'priority' ? [1, 2, 3, 4] : [], sign, value)
  if (values === undefined) return undefined
  if (name === 'state' && part === 'type') return [name, wordFor(values)]
  const [only, ...more] = values
  if (name === 'cycle' && (part === 'isActive' || part === 'isNext'))
    return only === true ? [name, part === 'isNext' ? 'next' : 'current'] : undefined
  if (part === 'isMe') return only === true ? [name, '@me'] : undefined
  if (part !== undefined && !identifying.includes(part)) return undefined
  return [name, more.length === 0 ? only : values]
}

/** The values that a comparison allows; undefined if not all are known. */
function valuesOf(all: readonly unknown[], sign: string, value: unknown): readonly unknown[] | undefined {
  const listed: readonly unknown[] = [value].flat()
  if (listed.some(isObject) || listed.length === 0) return undefined
  if (/^(?:eq|in)/.test(sign)) return listed
  const number = Number(value)
  const isAllowed: Readonly<Record<string, (each: unknown) => boolean>> = {
    neq: (each) => !listed.includes(each),
    nin: (each) => !listed.includes(each),
    gt: (each) => Number(each) > number,
    gte: (each) => Number(each) >= number,
    lt: (each) => Number(each) < number,
    lte: (each) => Number(each) <= number,
  }
  const allowed = isAllowed[sign]
  return allowed && all.some(allowed) ? all.filter(allowed) : undefined
}

/** The word for types of states. Linear's older filters do not know the type `duplicate`, so it is ignored. */
function wordFor(types: readonly unknown[]): unknown {
  const without = (list: readonly unknown[]) => new Set(list.filter((type) => type !== 'duplicate'))
  const [word] = Object.entries(stateWords).find(([, each]) => isDeepStrictEqual(without(each), without(types))) ?? []
  return word ?? (types.length === 1 ? types[0] : types)
}
