// Plays the tasks: `npm run tasks -- --help`.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { openModel } from './models.ts'
import { peerNames, peerServers, playPeers } from './peers/play.ts'
import { page, type ReferenceFigures, scoresOf, scoreTable } from './report.ts'
import { playModel, playReference, type Run } from './run.ts'
import { ourServers, serversOf } from './servers.ts'
import { openVendors, type Servers } from './session.ts'
import type { Task } from './task.ts'
import published from './results.json' with { type: 'json' }
import { tasks } from './tasks/index.ts'

const help = `npm run tasks -- --model NAME --endpoint URL [OPTION …]

Lets a model do tasks with an MCP server, against vendors on this machine, and judges what has come of it.

  --model NAME      the model, as its endpoint calls it
  --endpoint URL    where it is: …/v1/chat/completions, or …/v1/messages for Anthropic's form; the key is in MODEL_API_KEY
  --server WHICH    ours (the default); one of ${peerNames.join(', ')};
                    or a command line for a vendor, such as 'linear=npx -y some-server'; repeatable
  --env NAME=VALUE  a variable of that server; {url} and {key} stand for the vendor's address and the account's key; repeatable
  --redirect        sends every request of a server that runs on Node to the vendor on this machine, whatever its address
  --task ID         only tasks with this in their id; repeatable
  --runs N          how often each is done, 4 by default
  --json FILE       writes every run and all scores
  --reference       no model: plays the solutions with our servers, and writes results.json and results.md
  --peers           with --reference: also those of three packages from npm with their tools (ten minutes)
  --list            prints the tasks
`

const options = {
  model: { type: 'string' },
  endpoint: { type: 'string' },
  server: { type: 'string', multiple: true, default: ['ours'] },
  env: { type: 'string', multiple: true, default: [] },
  redirect: { type: 'boolean', default: false },
  task: { type: 'string', multiple: true, default: [] },
  runs: { type: 'string', default: '4' },
  json: { type: 'string' },
  reference: { type: 'boolean' },
  peers: { type: 'boolean', default: false },
  list: { type: 'boolean' },
  help: { type: 'boolean' },
} satisfies ParseArgsOptionsConfig

async function playAll(chosen: readonly Task[], servers: Servers, { model, runs }: { model: ReturnType<typeof openModel>; runs: number }) {
  await using vendors = openVendors()
  const all: Run[] = []
  for (const task of chosen) {
    for (let count = 0; count < runs; count += 1) {
      await using session = await vendors.begin(task, servers)
      const run = await playModel(session, task, model)
      const said = [...run.missing.map((each) => `missing: ${each}`), ...run.harm.map((each) => `harm: ${each}`), run.problem ?? '']
      console.log(
        [`${run.passed ? 'passed' : 'failed'} ${task.id}, ${run.calls} calls, ${run.seconds} s`, ...said.filter(Boolean)].join('\n  '),
      )
      all.push(run)
    }
  }
  return all
}

/** Plays the solutions with our servers, and prints what does not fit. */
async function playOurs(chosen: readonly Task[]): Promise<ReferenceFigures[]> {
  await using vendors = openVendors()
  const ours: ReferenceFigures[] = []
  for (const task of chosen) {
    await using session = await vendors.begin(task, ourServers)
    const { answer, ...figures } = await playReference(session, task)
    const { missing, harm } = await session.verdict(answer)
    for (const each of [...missing.map((text) => `missing: ${text}`), ...harm]) console.error(`${task.id}: ${each}`)
    if (missing.length + harm.length > 0) process.exitCode = 1
    ours.push({ id: task.id, grade: task.grade, ...figures })
  }
  return ours
}

async function writeReference(chosen: readonly Task[], withPeers: boolean): Promise<void> {
  const ours = await playOurs(chosen)
  const peers = withPeers ? await playPeers(chosen) : published.reference.peers
  const results = { measured_on: new Date().toISOString().slice(0, 10), reference: { ours, peers } }
  console.log(page(results))
  if (chosen.length < tasks.length || process.exitCode === 1) return
  writeFileSync(path.join(import.meta.dirname, 'results.json'), `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(path.join(import.meta.dirname, 'results.md'), page(results))
}

const refuse = (message: string): never => {
  console.error(`${message}\n\n${help}`)
  process.exit(2)
}

/** Ends with the help and the message of an error. */
function attempt<Value>(work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

const { values } = attempt(() => parseArgs({ options }))
const { model: name, endpoint, task: words, server, env, redirect } = values
const chosen = tasks.filter(({ id }) => words.length === 0 || words.some((word) => id.includes(word)))
if (values.help === true) console.log(help)
else if (values.list === true) console.log(tasks.map(({ id, grade, wish }) => `${id} (${grade}): ${wish}`).join('\n'))
else if (chosen.length === 0) refuse(`No task has ${words.join(' or ')} in its id; --list prints them.`)
else if (values.reference === true) await writeReference(chosen, values.peers)
else if (name === undefined || endpoint === undefined) refuse('Name a model and its endpoint, or pass --reference.')
else {
  const ofPeers = server.map(peerServers)
  const unnamed = server.filter((_, index) => !ofPeers[index])
  const others = attempt(() => serversOf(unnamed, { env, redirect }))
  const servers = ofPeers.reduce<Servers>((all, each) => ({ ...all, ...each }), others)
  const able = chosen.filter(({ vendors }) => vendors.every((vendor) => servers[vendor]))
  const count = Number(values.runs)
  const runs = await playAll(able, servers, { model: openModel({ name, endpoint, key: process.env['MODEL_API_KEY'] }), runs: count })
  console.log(`\n${scoreTable(runs, count)}`)
  if (values.json !== undefined)
    writeFileSync(values.json, `${JSON.stringify({ model: name, server, runs, scores: scoresOf(runs) }, null, 2)}\n`)
}
