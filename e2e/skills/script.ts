import { stringMember } from '@mcp-toolkits/core/base'
import { type Agent, rows } from '../agent.ts'

/**
 * Scripts that follow a skill and check the outcome. Every name comes from the person's request or an earlier answer. `accepted` returns
 * the bodies that the event vendor accepted, because no tool reads them.
 */
export type Scripts = Readonly<Record<string, (agent: Agent, accepted: () => readonly unknown[]) => Promise<void>>>

/** All rows of a list, page by page. */
export async function allRows({ call }: Agent, tool: string, args: Readonly<Record<string, unknown>>, list: string) {
  const read = async (end_cursor?: string): Promise<ReturnType<typeof rows>> => {
    const answer = await call(tool, end_cursor === undefined ? args : { ...args, end_cursor })
    const next = stringMember(answer['pagination'], 'end_cursor')
    return [...rows(answer[list]), ...(next === undefined ? [] : await read(next))]
  }
  return read()
}

/** The values of a field in all rows, in alphabetical order. */
export const column = (list: unknown, name: string) =>
  rows(list)
    .map((row) => String(row[name]))
    .toSorted()

/** The date this many days ago. */
export const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
