import type { Item } from './items.ts'
import type { KeyVerdict } from './key.ts'

/** What becomes of a request. */
export interface Judgement {
  readonly status: 200 | 400 | 401
  /** What strict mode answers. */
  readonly errors: readonly string[]
  readonly items: readonly JudgedItem[]
}

export interface JudgedItem {
  readonly item: Item
  /** `accepted` may still turn out to be a duplicate. */
  readonly outcome: 'accepted' | 'dropped' | 'refused'
  readonly reason: string | null
}

/** Decides on a request. Permissive mode hides every problem from the client; strict mode takes all items or none. */
export function judge(items: readonly Item[], key: KeyVerdict, strict: boolean): Judgement {
  if (key !== 'ok') {
    const failed = strict ? 'refused' : 'dropped'
    const judged = items.map((item): JudgedItem => ({ item, outcome: failed, reason: `bad key: ${key}` }))
    return { status: strict ? 401 : 200, errors: ['unauthorized'], items: judged }
  }
  const errors = items.flatMap(problemsOf)
  if (strict && errors.length > 0) return { status: 400, errors, items: items.map(refused) }
  return { status: 200, errors: [], items: items.map(processed) }
}

const problemsOf = ({ position, problems }: Item) => problems.map((text) => (position === null ? text : `batch[${position}]: ${text}`))

function refused(item: Item): JudgedItem {
  const reason = item.problems.length > 0 ? item.problems.join('; ') : 'another item of the batch is not valid'
  return { item, outcome: 'refused', reason }
}

function processed(item: Item): JudgedItem {
  if (item.problems.length > 0) return { item, outcome: 'dropped', reason: item.problems.join('; ') }
  return item.ignored === undefined ? { item, outcome: 'accepted', reason: null } : { item, outcome: 'dropped', reason: item.ignored }
}
