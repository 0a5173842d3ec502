import { ErrorCollector, NotFound, quote } from '@mcp-toolkits/core/errors'
import type { Candidate } from '@mcp-toolkits/core/references'
import { issueId, issueIdentifier, plainReading } from '../linear/references.ts'

/** Finds what a reference means, or throws. */
export type Matcher = (reference: string) => Candidate

/** The parts of text such as "Bug, Security", "ENG; OPS" or "ENG-1 and ENG-2"; undefined if there is only one. */
function splitReferences(text: string): readonly string[] | undefined {
  const parts = text
    .split(/[,;|\n]|\s(?:and|or|&|\+)\s/i)
    .map((part) => part.trim())
    .filter((part) => part !== '')
  return parts.length > 1 ? parts : undefined
}

/** The references in text, if it has several parts and each matches. */
export function partsOf(text: string, matcher: Matcher): readonly string[] | undefined {
  const parts = splitReferences(text)
  const collector = new ErrorCollector()
  for (const part of parts ?? []) collector.collect(() => matcher(part))
  return collector.failures.length === 0 ? parts : undefined
}

/** The identifiers in text that names several issues. */
export function issuesIn(text: string): readonly string[] | undefined {
  const parts = splitReferences(text)?.map((part) => issueId(plainReading(part)))
  return parts?.every((part) => issueIdentifier.test(part)) === true ? parts : undefined
}

/** Matches a reference. Text that names several things gets a specific error. */
export function matchOne(text: string, { parameter, kind, isFilter, matcher }: OneReference): Candidate {
  const collector = new ErrorCollector()
  const get = collector.collect(() => matcher(text))
  const parts = collector.failures[0] instanceof NotFound ? partsOf(text, matcher) : undefined
  if (!parts) return get()
  const found = parts.map((part) => ({ value: part, id: matcher(part).id, confidence: 0.6, parameter }))
  // A list can be read once for each part, but a write must mean one of them.
  const [advice, next] = isFilter ? ['Make one call for each.', { change: { [parameter]: parts[0] } }] : ['Pass one.']
  throw new NotFound(`${parameter} takes one ${kind}, and ${quote(text, 80)} names ${parts.length}. ${advice}`, {
    suggestions: found,
    ...(next && { next }),
  })
}

interface OneReference {
  readonly parameter: string
  readonly kind: string
  readonly isFilter: boolean
  readonly matcher: Matcher
}
