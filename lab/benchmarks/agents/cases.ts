// The calls that agents got wrong, one per line in cases/*.jsonl: the kind of mistake, the tool without its prefix, the arguments, and the
// intended outcome. `{{…}}` stands for the id of something in the seed.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { driveIdFor, fileIdFor } from '../../../packages/emulators/drive/src/store/ids.ts'
import { firstViewer } from '../../../packages/emulators/drive/src/people/people.ts'
import { idOf, slugIdFor } from '../../../packages/emulators/linear/src/ids.ts'

export type Arguments = Readonly<Record<string, unknown>>

export const serverNames = ['file-storage', 'event-pipeline', 'issue-tracker'] as const
export type ServerName = (typeof serverNames)[number]

/** A call, by the tool's name without its prefix. */
export interface Call {
  readonly tool: string
  readonly args: Arguments
}

/** Conditions that must hold afterwards. */
export type Intent =
  /** The vendor has stored, and a read has returned, the same as after this call. With `orRefused`, a refusal also passes. */
  | { readonly wanted: 'outcome of'; readonly call: Call; readonly orRefused: boolean }
  /** The meaning cannot be known: nothing changes, and the error names candidates, including these. */
  | { readonly wanted: 'candidates'; readonly suggested: readonly string[] }
  /** The request cannot be fulfilled: nothing changes, whatever the error proposes. */
  | { readonly wanted: 'refusal' }
  /** The call succeeds with a matching text, or is refused with a next step. */
  | { readonly wanted: 'notice'; readonly pattern: RegExp; readonly call?: Call }

export interface MistakenCall extends Call {
  readonly kind: string
  readonly intent: Intent
}

export const Args = z.record(z.string(), z.unknown())
const Mistake = z.tuple([z.string(), z.string(), Args])
/** Changes to the arguments, where null omits one, and a different tool if one is meant. */
const Verdict = z.union([
  z.tuple([z.enum(['means', 'may mean']), Args, z.string().optional()]),
  z.tuple([z.literal('unclear')], z.string()),
  z.tuple([z.literal('impossible')]),
  z.tuple([z.literal('says'), z.string(), Args.optional(), z.string().optional()]),
])

/** The values in one of the suite's files, one per line, with the ids that `{{…}}` stand for. */
export function parseLines(file: string): unknown[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  return lines.map((line): unknown => JSON.parse(line.replaceAll(/\{\{([^{}]+)\}\}/g, (_, name: string) => idFor(name))))
}

/** The mistaken calls to a server, from the project's own file or another in the same format. */
export function casesOf(server: ServerName, file = path.join(import.meta.dirname, 'cases', `${server}.jsonl`)): MistakenCall[] {
  return parseLines(file).map((line) => {
    const parts = z.array(z.unknown()).parse(line)
    const [kind, tool, args] = Mistake.parse(parts.slice(0, 3))
    return { kind, tool, args, intent: intentOf({ tool, args }, Verdict.parse(parts.slice(3))) }
  })
}

function intentOf(call: Call, verdict: z.infer<typeof Verdict>): Intent {
  const changed = (change: Arguments, tool = call.tool): Call => ({
    tool,
    args: Object.fromEntries(Object.entries({ ...call.args, ...change }).filter(([name, value]) => value !== null || !(name in change))),
  })
  switch (verdict[0]) {
    case 'means':
    case 'may mean':
      return { wanted: 'outcome of', call: changed(verdict[1], verdict[2]), orRefused: verdict[0] === 'may mean' }
    case 'unclear':
      return { wanted: 'candidates', suggested: verdict.slice(1) }
    case 'impossible':
      return { wanted: 'refusal' }
    case 'says':
      return { wanted: 'notice', pattern: new RegExp(verdict[1], 'i'), ...(verdict[2] && { call: changed(verdict[2], verdict[3]) }) }
  }
}

/**
 * The id that a name stands for: `Project Apollo` and `slug Project Apollo` in Linear, `drive Design`, `root` and `file Photos/lake.png` in
 * Drive.
 */
function idFor(name: string): string {
  if (name === 'root') return firstViewer.rootId
  if (name.startsWith('drive ')) return driveIdFor(name)
  if (name.startsWith('slug ')) return slugIdFor(idOf(name.slice(5)))
  if (!name.startsWith('file ')) return idOf(name)
  return name
    .slice(5)
    .split('/')
    .reduce((parent, item) => fileIdFor(`${parent} ${item}`), firstViewer.rootId)
}
