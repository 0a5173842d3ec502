import { printableLine, truncate } from '@mcp-toolkits/core/errors'
import type { ContentBlock } from '@modelcontextprotocol/server'
import type { Answer, Success } from '../answers/answer.ts'
import type { ToolResource } from './readable.ts'

/** Maximum number of links to items of one kind in a result. */
const maxLinks = 5

/** Maximum number of characters of an item's name. */
const maxName = 300

/** Adds links to an answer for the readable resources that it is about. */
export function withLinks(answer: Answer, resources: readonly ToolResource[]): Answer {
  if (!answer.ok) return answer
  const links = resources.flatMap((resource) => linksTo(resource, answer.data))
  return links.length > 0 ? { ...answer, links } : answer
}

function linksTo({ uriTemplate, title, text, findIn }: ToolResource, data: Success['data']) {
  const found = findIn?.(data) ?? []
  return found.slice(0, maxLinks).flatMap(({ id, name }): ContentBlock[] => {
    if (typeof id !== 'number' && (typeof id !== 'string' || id === '')) return []
    const uri = uriTemplate.replace(/\{\w+\}/, () => encodeURIComponent(String(id).toWellFormed()))
    const mimeType = text === undefined ? 'application/json' : 'text/plain'
    return [{ type: 'resource_link', uri, name: printableLine(truncate(name ?? `${title} ${id}`, maxName)), mimeType }]
  })
}
