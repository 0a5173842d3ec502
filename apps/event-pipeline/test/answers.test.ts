import { expect, test } from 'vitest'
import { execution, goodBodies, pipeline } from './pipeline.ts'

const track = 'EventPipelineApi.TrackUserEvent'
const page = '<html><head><style>b { color: red }</style><title>Blocked</title></head><body><p>Policy&nbsp;7\n</body></html>'

test.for([
  ['{"meta":{"errors":["no"]}}', '"no"'],
  ['{"meta":{"errors":"no"}}', '"no"'],
  ['{"meta":{"error":{"message":"no"}}}', '"no"'],
  ['{"errors":[null,{"message":"no"}]}', '"no"'],
  ['{"errors":{"userId":"no"}}', String.raw`"{\"userId\":\"no\"}"`],
  ['{"error":"no"}', '"no"'],
  ['"no"', '"no"'],
  ['no such\n path', '"no such path"'],
  [page, '"Blocked Policy&nbsp;7"'],
] as const)('shows the message of a refusal in the form %s', async ([body, words]) => {
  await using server = await pipeline()
  server.emulator.faults.add({ action: { kind: 'status', status: 404, body, headers: { 'content-type': 'text/plain' } } })
  const error = await server.fails(track, execution(goodBodies.track))
  expect(error.message).toContain(`Customer.io says: ${words}`)
})

test.for(['{"meta":{"errors":["no"]}}', '{"error":"no"}', '{"success":false}', '{"errors":{"userId":"no"}}'])(
  'does not count HTTP 200 with %s as delivered, and resends it only when asked',
  async (body) => {
    await using server = await pipeline()
    server.emulator.faults.add({ action: { kind: 'status', status: 200, body, headers: { 'content-type': 'application/json' } } })
    const error = await server.fails(track, execution(goodBodies.track))
    expect(error).toMatchObject({ code: 'unavailable', http_status: 200, retryable: false })
    expect(error.message).toMatch(/HTTP 200, but with an error, so the event was not accepted\..* stays in the outbox/)
    expect(server.emulator.store.requests()).toHaveLength(1)
  },
)

test.for(['{}', '{"success":true}', '{"errors":[]}', '{"meta":{"errors":null}}', '{"error":""}'])(
  'counts HTTP 200 with %s as delivered',
  async (body) => {
    await using server = await pipeline()
    server.emulator.faults.add({ action: { kind: 'status', status: 200, body, headers: { 'content-type': 'application/json' } } })
    expect(await server.call(track, execution(goodBodies.track))).toMatchObject({ outcome: 'delivered' })
  },
)

test.for([300, 304, 305])('sends again after HTTP %i, which is not a redirect', async (status) => {
  await using server = await pipeline()
  server.emulator.faults.add({ action: { kind: 'status', status } })
  expect(await server.call(track, execution(goodBodies.track))).toMatchObject({ outcome: 'delivered' })
  expect(server.emulator.store.requests()).toHaveLength(2)
})
