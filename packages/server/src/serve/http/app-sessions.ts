import { randomUUID } from 'node:crypto'
import { member } from '@mcp-toolkits/core/base'
import { appsSession, declaresApps, sessionHeader } from '../../mcp/apps/capability.ts'

type Answer = (request: Request, options?: { readonly parsedBody?: unknown }) => Promise<Response>

/**
 * On an earlier revision, gives a client that shows apps a session to name in later requests. No state is stored: the name itself tells any
 * replica that the client shows apps.
 */
export function withAppSessions(answer: Answer): Answer {
  return async (request, options) => {
    const response = await answer(request, options)
    const body = options?.parsedBody
    if (member(body, 'method') === 'initialize' && declaresApps(member(member(body, 'params'), 'capabilities')))
      response.headers.set(sessionHeader, `${appsSession}${randomUUID()}`)
    return response
  }
}
