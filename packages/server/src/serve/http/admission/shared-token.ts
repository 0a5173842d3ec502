import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Secret } from '@mcp-toolkits/core/upstream'
import { reply } from '../refusals.ts'

/** True for a request with the token that all callers share. Compares digests, so that the time taken reveals nothing about the token. */
export function hasSharedToken(request: IncomingMessage, token: Secret): boolean {
  const given = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(token.reveal()))
}

/** Answers with 401, and says which token is missing. */
export function refuseWithoutToken(response: ServerResponse): void {
  response.setHeader('www-authenticate', 'Bearer')
  reply(response, 401, { error: "Send this server's bearer token: Authorization: Bearer <token>." })
}
