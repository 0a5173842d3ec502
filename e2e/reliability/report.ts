// The generated parts of docs/reliability.md, from the suite's tables and its last run's counts.
import path from 'node:path'
import echoes from './counts/echoes.json' with { type: 'json' }
import hostile from './counts/hostile.json' with { type: 'json' }
import matrixDrive from './counts/matrix-file-storage.json' with { type: 'json' }
import matrixLinear from './counts/matrix-issue-tracker.json' with { type: 'json' }
import matrixPipelines from './counts/matrix-event-pipeline.json' with { type: 'json' }
import pages from './counts/pages.json' with { type: 'json' }
import soak from './counts/soak.json' with { type: 'json' }
import { frequencies, kinds, promises, type Expectation } from './expectations.ts'
import { generalFaults, type Fault, type FaultClass } from '../../packages/testing/src/vendors/faults.ts'
import { drive } from '../../packages/testing/src/vendors/drive.ts'
import { linear } from '../../packages/testing/src/vendors/linear.ts'
import { pipelines } from '../../packages/testing/src/vendors/pipelines.ts'
import { weaknesses } from './weaknesses.ts'

type Cell = string | number

function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const line = (cells: readonly Cell[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** The fault classes, in the order in which the page explains them. */
const classes: Readonly<Record<FaultClass, string>> = {
  transient: 'A retry may help',
  oversized: 'Too large to read',
  unsupported: 'The vendor cannot do it',
  limited: 'The vendor asks us to slow down',
  exhausted: 'The quota is used up',
  permanent: 'The vendor refuses',
  redirect: 'A redirect, which is not followed',
}

const classNames = Object.keys(classes).filter((name): name is FaultClass => name in classes)

const kindNames = {
  read: 'most tools',
  write: 'most tools',
  event: 'a tool that sends events',
  unrepeatable: 'a tool that shares a file',
} as const

function sentenceFor({ outcome, code, retryable, effects }: Expectation): string {
  if (outcome === 'result') return 'the result'
  if (outcome === 'queued') return 'queued, then sent once'
  if (outcome === 'looked up') return 'we check whether it was shared'
  const name = code === '' ? "the refusal's code" : `\`${code ?? ''}\``
  return `${name}${retryable === true ? ', retryable' : ''}${effects === 'never' ? '' : `, ${effects}`}`
}

/** The table of guarantees for each fault class. */
export function promiseTable(): string {
  const rows = classNames.flatMap((name) => {
    const [once, always] = frequencies.map((frequency) => columns.map(([kind]) => sentenceFor(promises[name][frequency][kind])))
    const isSame = once?.join() === always?.join()
    return isSame
      ? [[classes[name], 'either', ...(once ?? [])]]
      : [
          [classes[name], 'once', ...(once ?? [])],
          ['', 'always', ...(always ?? [])],
        ]
  })
  return table(['Fault', '', ...columns.map((those) => [...new Set(those.map((kind) => kindNames[kind]))].join(' or '))], rows)
}

/** Kinds of tools with the same guarantees. */
const columns = [
  ...Map.groupBy(kinds, (kind) =>
    JSON.stringify(classNames.map((name) => promises[name]).map(({ once, always }) => [once[kind], always[kind]].map(sentenceFor))),
  ).values(),
].map(([first = 'read', ...rest]) => [first, ...rest] as const)

/** Faults in each class. */
export function faultList(): string {
  const refusals = [linear, drive, pipelines].flatMap((vendor) => vendor.refusals)
  const faults: readonly Pick<Fault, 'name' | 'class'>[] = [...generalFaults, ...refusals]
  const namesOf = (wanted: FaultClass) => [...new Set(faults.filter((fault) => fault.class === wanted).map(({ name }) => name))]
  return classNames.map((name) => `- **${classes[name]}**: ${namesOf(name).join(', ')}`).join('\n')
}

/** Table of the last run's counts. */
export function countList(): string {
  const matrices = { 'issue-tracker': matrixLinear, 'file-storage': matrixDrive, 'event-pipeline': matrixPipelines }
  const cells = Object.entries(matrices).map(
    ([name, { tools, faults, cells: count }]) =>
      `${name}: ${count} cases, sampled from ${tools} tools × ${faults} faults × ${frequencies.length} frequencies`,
  )
  return [
    ...cells,
    `${hostile.values} hostile values for ${hostile.parameters} parameters of ${hostile.tools} tools`,
    `${echoes.echoes} vendor responses that repeat a credential, for ${echoes.tools} tools`,
    `${pages.lists} endless lists, one for each tool that reads a list`,
    `${soak.calls} mixed calls to ${soak.servers} servers, with random faults`,
  ]
    .map((line) => `- ${line}`)
    .join('\n')
}

/** Classes of weaknesses in other servers. */
export function weaknessList(): string {
  const linkTo = (file: string) => `[${path.basename(file, '.test.ts')}](../${file})`
  return weaknesses.map(({ name, promise, tests }) => `- **${name}.** ${promise} (${tests.map(linkTo).join(', ')})`).join('\n')
}
