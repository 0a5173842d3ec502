// The command that plays the tasks, with a model or with the solutions.
import { writeFileSync } from 'node:fs'
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { openModel } from './models/models.ts'
import { type PeerPlaces, peers, peerServers } from './peers/servers.ts'
import { type ReferenceFigures, referenceTable, scoresOf, scoreTable } from './report.ts'
import { playReference, type Run, runTask } from './run.ts'
import { givenServer, ourServers, type Servers } from './servers.ts'
import { openVendors } from './session.ts'
import { type Task, vendors } from './task.ts'
import { tasks } from './tasks/index.ts'

/** Differences between the checkout and the package. */
export interface Setting {
  /** The words that start the command. */
  readonly command: string
  readonly places: PeerPlaces
  /** The file that starts one of our servers. */
  readonly mainOf: (name: string) => string
  /** Publishes the effort that the solutions of all tasks take. */
  readonly publish?: (ours: readonly ReferenceFigures[]) => Promise<void>
}

const helpOf = ({ command }: Setting) => `${command} --model NAME --endpoint URL [OPTION …]

Lets a model do tasks with an MCP server, against vendors on this machine, and judges what has come of it.

  --model NAME      the model, as its endpoint calls it
  --endpoint URL    where it is: …/v1/chat/completions, or …/v1/messages for Anthropic's form; the key is in MODEL_API_KEY
  --server WHICH    ours (the default), a peer, or a command line for a vendor, such as 'linear=npx -y some-server'; repeatable
  --env NAME=VALUE  a variable of that server; {url} and {key} stand for the vendor's address and the account's key; repeatable
  --redirect        sends every request of a server that runs on Node to the vendor on this machine, whatever its address;
                    the server must be installed: 'linear=node some-server/main.js', and not npx
  --task ID         only tasks with this in their id; repeatable
  --runs N          how often each is done, 4 by default
  --json FILE       writes every run and all scores, after each run
  --reference       no model: plays the solutions with our servers
  --list            prints the tasks, each on a line

Peers: ${[...peers.keys()].join(', ')}.
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
  list: { type: 'boolean' },
  help: { type: 'boolean' },
} satisfies ParseArgsOptionsConfig

interface Plan {
  readonly chosen: readonly Task[]
  readonly servers: Servers
  readonly model: ReturnType<typeof openModel>
  readonly runs: number
  /** Called after each run with all runs so far. */
  readonly keep: (runs: readonly Run[]) => void
}

async function playAll({ chosen, servers, model, runs, keep }: Plan): Promise<readonly Run[]> {
  await using opened = openVendors()
  const all: Run[] = []
  for (const task of chosen) {
    for (let count = 0; count < runs; count += 1) {
      const run = await runTask(opened, task, servers, model)
      const said = [...run.missing.map((each) => `missing: ${each}`), ...run.harm.map((each) => `harm: ${each}`), run.problem ?? '']
      const end = run.scored ? (run.passed ? 'passed' : 'failed') : 'not scored:'
      console.log([`${end} ${task.id}, ${run.calls} calls, ${run.seconds} s`, ...said.filter(Boolean)].join('\n  '))
      all.push(run)
      keep(all)
    }
  }
  return all
}

/** Plays the solutions, and prints their effort and mistakes. */
async function playSolutions(chosen: readonly Task[], servers: Servers, { publish }: Setting): Promise<void> {
  await using opened = openVendors()
  const ours: ReferenceFigures[] = []
  for (const task of chosen) {
    await using session = await opened.begin(task, servers)
    const { answer, ...figures } = await playReference(session, task)
    const { missing, harm } = await session.verdict(answer)
    for (const each of [...missing.map((text) => `missing: ${text}`), ...harm]) console.error(`${task.id}: ${each}`)
    if (missing.length + harm.length > 0) process.exitCode = 1
    ours.push({ id: task.id, grade: task.grade, ...figures })
  }
  console.log(referenceTable(ours))
  if (chosen.length === tasks.length && process.exitCode !== 1) await publish?.(ours)
}

/** Runs the command with its arguments; prints the help if they are wrong. */
export async function runTasks(setting: Setting, args = process.argv.slice(2)): Promise<void> {
  let run: () => void | Promise<void>
  try {
    run = plan(setting, args)
  } catch (error) {
    run = () => {
      console.error(`${error instanceof Error ? error.message : String(error)}\n\n${helpOf(setting)}`)
      process.exitCode = 2
    }
  }
  await run()
}

/** Reads the arguments, and returns the work that they request. Throws if they are wrong. */
function plan(setting: Setting, args: readonly string[]): () => void | Promise<void> {
  const { values } = parseArgs({ args: [...args], options })
  const { model: name, endpoint, task: words, server, env, redirect, runs: count, json } = values
  const chosen = tasks.filter(({ id }) => words.length === 0 || words.some((word) => id.includes(word)))
  const lines = chosen.map(({ id, grade, wish }) => `${id} (${grade}): ${wish.replaceAll('\n', ' ⏎ ')}`)
  if (values.help === true || values.list === true) {
    return () => {
      console.log(values.help === true ? helpOf(setting) : lines.join('\n'))
    }
  }
  if (chosen.length === 0) throw new Error(`No task has ${words.join(' or ')} in its id; --list prints them.`)
  const wanted = vendors.filter((vendor) => chosen.some((task) => task.vendors.includes(vendor)))
  const ours = () => ourServers(setting.mainOf, wanted)
  if (values.reference === true) return () => playSolutions(chosen, ours(), setting)
  if (name === undefined || endpoint === undefined) throw new Error('Name a model and its endpoint, or pass --reference.')
  if (!/^[1-9]\d*$/.test(count)) throw new Error(`--runs takes a number, and not "${count}".`)
  const preload = redirect ? setting.places.preload : undefined
  const servers = server.reduce<Servers>((all, line) => {
    const these = line === 'ours' ? ours() : (peerServers(line, setting.places) ?? givenServer(line, { env, preload }))
    return { ...all, ...these }
  }, {})
  const able = chosen.filter((task) => task.vendors.every((vendor) => servers[vendor]))
  const model = openModel({ name, endpoint, key: process.env['MODEL_API_KEY'] })
  return async () => {
    const keep = (all: readonly Run[]) => {
      if (json !== undefined) writeFileSync(json, `${JSON.stringify({ model: name, server, runs: all, scores: scoresOf(all) }, null, 2)}\n`)
    }
    const all = await playAll({ chosen: able, servers, model, runs: Number(count), keep })
    console.log(`\n${scoreTable(all, Number(count))}`)
  }
}
