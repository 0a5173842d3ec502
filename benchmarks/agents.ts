// What agents get: how their mistaken calls end. Runs on the sources. With the names of servers or kinds of mistakes as arguments, only
// those are replayed and the failures are printed: `node benchmarks/agents.ts file-storage path`.
import { mistakenCalls, replayMistakes } from './agents/mistakes.ts'
import { outcomes, type Judged } from './agents/replay.ts'
import { serverNames } from './agents/cases.ts'

const wanted = process.argv.slice(2).filter((name) => name !== 'agents')
const servers = serverNames.filter((name) => wanted.includes(name))
const kinds = wanted.filter((name) => !servers.some((server) => server === name))

/** One failure for people who correct it. */
function report({ outcome, mistake: { kind, tool, args, intent }, answer, reason = '' }: Judged): string {
  const expected = 'call' in intent ? ` ${intent.call.tool} ${JSON.stringify(intent.call.args)}` : ''
  return `- ${outcome} (${kind}): ${tool} ${JSON.stringify(args)}\n    wanted: ${intent.wanted}${expected}\n    got: ${answer}\n    ${reason}`.trimEnd()
}

const all: Judged[] = []
for (const server of servers.length > 0 ? servers : serverNames) {
  const isWanted = ({ kind }: { readonly kind: string }) => kinds.length === 0 || kinds.includes(kind)
  const judged = await replayMistakes(server, mistakenCalls[server].filter(isWanted))
  console.log([server, ...judged.filter(({ outcome }) => outcome !== 'well').map(report)].join('\n'))
  all.push(...judged)
}
const count = (server: string, outcome: string) => all.filter((each) => each.server === server && each.outcome === outcome).length
console.table(
  Object.fromEntries(serverNames.map((server) => [server, Object.fromEntries(outcomes.map((each) => [each, count(server, each)]))])),
)
