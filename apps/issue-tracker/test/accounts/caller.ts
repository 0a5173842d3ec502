// A server in a process of its own that makes one call when it is told to. With `lose`, the answer to a renewal never reaches it.
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Fetch } from '@mcp-toolkits/core'
import { connect } from '@mcp-toolkits/testing'
import { issueTracker } from '../../src/server.ts'

const { DATA_DIRECTORY: dataDirectory = '', API_URL: url = '', LOSE: lose } = process.env

const losing: Fetch = async (input, init) => {
  const response = await fetch(input, init)
  if (!new URL(response.url).pathname.endsWith('/oauth/token')) return response
  process.stdout.write('renewed\n')
  return new Promise(() => undefined)
}

const environment = { ISSUE_TRACKER_API_URL: url }
const server = await connect(issueTracker, { dataDirectory, environment, fetch: lose === undefined ? fetch : losing })
process.stdout.write('ready\n')
await once(createInterface({ input: process.stdin }), 'line')
const { isError, content } = await server.result('IssueTracker.ListTeams')
process.stdout.write(`${JSON.stringify({ failed: isError === true, content: isError === true ? content : [] })}\n`)
await server[Symbol.asyncDispose]()
process.exit(0)
