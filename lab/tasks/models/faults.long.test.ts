// Endpoints and servers that fail, which says nothing about the model, and a model that writes broken arguments.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { parseJson } from '../../../packages/core/src/base/json.ts'
import { listenOnLoopback } from '../../../packages/testing/src/processes/loopback.ts'
import { runTasks } from '../command.ts'
import { openModel } from './models.ts'
import { builtServers, mainOf, places } from '../places.ts'
import { runTask } from '../run.ts'
import { openVendors } from '../session.ts'
import { tasks } from '../tasks/index.ts'

const vendors = openVendors({ keepsServers: true })
afterAll(() => vendors[Symbol.asyncDispose]())

const question = { choices: [{ message: { content: 'Which one: Ada Okafor or Ada Okonkwo?' } }] }

function taskOf(id: string) {
  const task = tasks.find((each) => each.id === id)
  if (!task) throw new Error(`There is no task ${id}.`)
  return task
}

/** An endpoint whose answers depend on the number and the body of the request. */
function startEndpoint(answer: (response: ServerResponse, count: number, body: unknown) => void) {
  let count = 0
  const server = createServer((request, response) => {
    count += 1
    void json(request).then((body) => {
      answer(response, count, body)
    })
  })
  return listenOnLoopback(server)
}

/** Has a model at an endpoint do a task; `waits` contains the seconds between its attempts. */
async function runAt(url: string, { id = 'linear-two-adas', form = 'chat/completions', servers = builtServers } = {}) {
  const waits: number[] = []
  const wait = (milliseconds: number) => Promise.resolve(waits.push(milliseconds / 1000))
  const model = openModel({ name: 'any', endpoint: `${url}/v1/${form}`, key: undefined, wait })
  return { run: await runTask(vendors, taskOf(id), servers, model), waits }
}

test('a connection that breaks is tried again, and a run without an endpoint is not scored', async () => {
  await using shaky = await startEndpoint((response, count) => {
    if (count < 3) response.destroy()
    else response.end(JSON.stringify(question))
  })
  expect(await runAt(shaky.url)).toMatchObject({ run: { passed: true, scored: true }, waits: [2, 4] })
  await using dead = await startEndpoint((response) => response.destroy())
  const problem: unknown = expect.stringMatching(/^The endpoint does not answer: fetch failed: /)
  expect(await runAt(dead.url)).toMatchObject({ run: { passed: false, scored: false, problem }, waits: [2, 4, 8, 16, 32] })
})

test.for([
  ['chat/completions', { error: { message: 'overloaded' } }],
  ['chat/completions', { choices: [{ message: { content: null } }] }],
  ['messages', { type: 'error', error: { message: 'overloaded' } }],
] as const)('an answer of %s without a message is an error of the endpoint', async ([form, answer]) => {
  await using endpoint = await startEndpoint((response) => response.end(JSON.stringify(answer)))
  const { run } = await runAt(endpoint.url, { form })
  expect(run).toMatchObject({
    passed: false,
    scored: false,
    problem: `The endpoint answers 200 without a message: ${JSON.stringify(answer)}`,
  })
})

test('a call with broken arguments is not made, and the model sees what it wrote', async () => {
  const bodies: unknown[] = []
  const broken = '{"team": "Engineering", "title": "The compass'
  await using endpoint = await startEndpoint((response, count, body) => {
    bodies.push(body)
    const calls = [{ id: 'one', type: 'function', function: { name: 'issue_tracker_ListTeams', arguments: broken } }]
    response.end(JSON.stringify(count === 1 ? { choices: [{ message: { content: null, tool_calls: calls } }] } : question))
  })
  const { run } = await runAt(endpoint.url)
  expect(run).toMatchObject({ passed: true, scored: true, calls: 0 })
  expect(bodies[1]).toMatchObject({
    messages: [
      {},
      {},
      { role: 'assistant', tool_calls: [{ id: 'one', function: { arguments: broken } }] },
      { role: 'tool', tool_call_id: 'one', content: 'The arguments are not the JSON of an object.' },
    ],
  })
})

test('a run whose server does not start is not scored', async () => {
  await using endpoint = await startEndpoint((response) => response.end(JSON.stringify(question)))
  await using opened = openVendors()
  const model = openModel({ name: 'any', endpoint: `${endpoint.url}/v1/chat/completions`, key: undefined })
  const servers = { linear: { command: process.execPath, args: ['-e', 'process.exit(1)'], environment: {} } }
  const run = await runTask(opened, taskOf('linear-two-adas'), servers, model)
  const problem: unknown = expect.stringMatching(/closed/i)
  expect(run).toMatchObject({ id: 'linear-two-adas', passed: false, scored: false, calls: 0, problem })
})

test('the command writes the file after each run', async () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'tasks-'))
  const file = path.join(directory, 'runs.json')
  const seen: unknown[] = []
  try {
    await using endpoint = await startEndpoint((response, count) => {
      if (count > 1) seen.push(parseJson(readFileSync(file, 'utf8')))
      response.writeHead(count === 1 ? 401 : 200).end(JSON.stringify(question))
    })
    const at = ['--model', 'any', '--endpoint', `${endpoint.url}/v1/chat/completions`]
    await runTasks({ command: 'tasks', places, mainOf }, [...at, '--task', 'linear-two-adas', '--runs', '2', '--json', file])
    seen.push(parseJson(readFileSync(file, 'utf8')))
  } finally {
    rmSync(directory, { recursive: true })
  }
  const [first, second] = [
    { passed: false, scored: false },
    { passed: true, scored: true },
  ]
  expect(seen).toMatchObject([
    { runs: [first] },
    { runs: [first, second], scores: [{ grade: 'hard' }, { grade: 'all', pass1: 1, unscored: 1 }] },
  ])
})
