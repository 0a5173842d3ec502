// The whole loop, without a model: an endpoint on this machine plays the solutions, or does something else.
import { createServer } from 'node:http'
import { afterAll, expect, test } from 'vitest'
import { listenOnLoopback } from '../../../packages/testing/src/processes/loopback.ts'
import { startFakeModel } from './fake-model.ts'
import { openModel } from './models.ts'
import { builtServers } from '../places.ts'
import { scoresOf } from '../report.ts'
import { playModel } from '../run.ts'
import { openVendors } from '../session.ts'
import { tasks } from '../tasks/index.ts'

const vendors = openVendors({ keepsServers: true })
afterAll(() => vendors[Symbol.asyncDispose]())

const chosen = ['linear-two-adas', 'linear-hand-over', 'drive-hotel', 'events-new-team', 'drive-and-linear-blockers'].map((id) => {
  const task = tasks.find((each) => each.id === id)
  if (!task) throw new Error(`There is no task ${id}.`)
  return task
})

test.for(['/v1/chat/completions', '/v1/messages'])('a model at %s does tasks', async (path) => {
  await using fake = await startFakeModel(chosen)
  const model = openModel({ name: 'fake', endpoint: `${fake.url}${path}`, key: 'a-secret' })
  for (const task of chosen) {
    await using session = await vendors.begin(task, builtServers)
    const run = await playModel(session, task, model)
    expect(run).toMatchObject({ id: task.id, passed: true, missing: [], harm: [] })
    expect(run).toMatchObject({ input: 100 * (run.calls + 1), output: 10 * (run.calls + 1) })
  }
})

test('a model that answers without doing anything fails, and an endpoint that refuses is named', async () => {
  const [, handOver] = chosen
  if (!handOver) throw new Error('There is no task.')
  const idle = createServer((request, response) => {
    if (request.headers['authorization'] === 'Bearer a-secret')
      response.end(JSON.stringify({ choices: [{ message: { content: 'Done, all of it.' } }] }))
    else response.writeHead(401).end('no key')
  })
  await using endpoint = await listenOnLoopback(idle)
  await using session = await vendors.begin(handOver, builtServers)
  const at = { name: 'idle', endpoint: `${endpoint.url}/v1/chat/completions` }
  const run = await playModel(session, handOver, openModel({ ...at, key: 'a-secret' }))
  expect(run).toMatchObject({ passed: false, harm: [], answer: 'Done, all of it.', calls: 0 })
  expect(run.missing).toHaveLength(4)
  const refused = await playModel(session, handOver, openModel({ ...at, key: undefined }))
  expect(refused).toMatchObject({ passed: false, scored: false, problem: 'The endpoint answers 401: no key' })
})

test('a task counts for pass^k only if every run of it passes, and a run that is not scored for nothing', () => {
  const run = {
    grade: 'easy',
    calls: 2,
    requests: 3,
    tokens: 40,
    answer: '',
    missing: [],
    harm: [],
    seconds: 1,
    input: 100,
    output: 10,
    scored: true,
  } as const
  const unscored = { ...run, passed: false, scored: false, problem: 'The endpoint answers 401: no key', calls: 0 }
  const runs = [
    ...[true, true, false, true].map((passed) => ({ ...run, id: 'one', passed, harm: passed ? [] : ['made: an issue'] })),
    ...[true, true, true, true].map((passed) => ({ ...run, id: 'two', passed })),
    { ...unscored, id: 'three' },
  ]
  const figures = { pass1: 0.875, passAll: 0.5, calls: 2, tokens: 110, seconds: 1, harm: 1, unscored: 1 }
  expect(scoresOf(runs)).toEqual(['easy', 'all'].map((grade) => ({ grade, tasks: 3, ...figures })))
  const nothing = { pass1: null, passAll: null, calls: null, tokens: null, seconds: null, harm: 0, unscored: 1 }
  expect(scoresOf([{ ...unscored, id: 'three' }])).toContainEqual({ grade: 'all', tasks: 1, ...nothing })
})
