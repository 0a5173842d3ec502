import { Ambiguous, InvalidInput, NotFound, quote, type ToolError, withDetails } from '@mcp-toolkits/core/errors'
import { type CallContext, TaskCancelled } from '@mcp-toolkits/core/tool'
import type { z } from 'zod'
import type { Backfills } from './backfills.ts'
import { type Backfill, isHalted, isHopeless, isUnfinished, type Plan } from './record.ts'
import type { BackfillStore } from './store.ts'
import { describeBackfill, describeProblems, describeSample, keptRows, type Report } from './view.ts'

type Answer = z.infer<typeof Report>

/** Sends a file and reports progress; waits until a short file has been sent. Throws the reason if nothing from the file is sent. */
export async function answerOf(plan: Plan, backfills: Backfills, call: CallContext): Promise<Answer> {
  const { operation, signal, scope, owner } = call
  const id = (await operation.claim()).uuid('backfill')
  await backfills.start(id, plan, owner)
  const backfill = await backfills.settled(id, call).catch(async (error: unknown) => {
    if (signal.reason instanceof TaskCancelled) await backfills.halt(id)
    throw error
  })
  if (isUnfinished(backfill.state) || isHalted(backfill.state)) operation.leaveOpen()
  const { state, error, progress } = backfill
  if (isHopeless(backfill) || (state === 'done' && progress.accepted === 0)) throw allRefused(backfill)
  const isLost = state === 'failed' || (state === 'stopped' && progress.accepted === 0)
  if (isLost && error)
    throw withDetails(error, state === 'failed' ? error.text : error.text.and(keptRows), { ...error.details, retryable: false })
  const answer = describeBackfill(backfill, scope.clock.now())
  if (backfill.id === id) return answer
  const repeated = `The same rows were handed over at ${answer.created_at ?? ''}: this is that backfill, and nothing is sent twice.`
  return { ...answer, notices: [repeated, ...(answer.notices ?? [])] }
}

function allRefused({ state, progress }: Backfill): ToolError {
  const { refused = [] } = describeProblems(progress.problems)
  const kinds = refused.slice(0, 5).map(({ rows, problem }) => `Rows ${rows}: ${problem}`)
  const all =
    state === 'done'
      ? `None of the ${progress.read} rows can be sent.`
      : `${progress.refused} rows were refused and none accepted, so the others were not sent: correct the file, or pass "rows" without the refused ones.`
  return new InvalidInput(`${all} ${kinds.join(' ')}`)
}

/** A dry run's result. */
export async function checkOf(plan: Plan, backfills: Backfills, call: CallContext): Promise<Answer> {
  const { notice } = call
  const { progress, isWhole, sample } = await backfills.check(plan, call)
  const { read, refused, untimed, problems } = progress
  if (!isWhole) notice(`Only the first ${read} rows were checked, because the file is long or arrives slowly.`)
  if (untimed > 0) notice(`${untimed} rows have no timestamp and would count as happening now.`)
  return {
    outcome: 'checked',
    rows: { read, accepted: 0, refused, waiting: read - refused },
    ...describeProblems(problems),
    sample: describeSample(sample),
  }
}

/** The backfill with the id, or else the newest one; undefined if there is none. Throws `NotFound` for an unknown id. */
export async function chosenBackfill(store: BackfillStore, id: string | undefined): Promise<Backfill | undefined> {
  if (id === undefined) return (await store.list(1))[0]
  const found = await store.find(id)
  if (!found)
    throw new NotFound(`No backfill in this account has the id ${quote(id)}.`, { next: { tool: 'EventPipelineApi.ListBackfills' } })
  return found.sameAs === undefined ? found : ((await store.find(found.sameAs)) ?? found)
}

/** Cancels the backfill with the id, or else the only one being sent. Throws `Ambiguous` if there are several. */
export async function cancelled(
  backfills: Backfills,
  { id, owner }: { readonly id: string | undefined; readonly owner: string | undefined },
): Promise<{ readonly backfill?: Backfill; readonly changed: boolean; readonly wasSending: boolean }> {
  const store = backfills.storeOf(owner)
  const [running, ...others] = id === undefined ? await store.unfinished() : []
  if (running && others.length > 0) {
    const suggestions = [running, ...others].slice(0, 10).map((each) => ({ value: each.id, confidence: 0.5, parameter: 'backfill' }))
    throw new Ambiguous('Several files are being sent. Name the one to cancel.', { suggestions })
  }
  const chosen = running ?? (id === undefined ? undefined : await chosenBackfill(store, id))
  if (!chosen) return { changed: false, wasSending: false }
  const changed = await backfills.cancel(chosen)
  return { backfill: await backfills.find(chosen.id), changed, wasSending: chosen.state === 'sending' }
}
