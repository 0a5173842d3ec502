import { expect, test } from 'vitest'
import { RunningClock } from '../../packages/testing/src/vendors/clock.ts'
import { type Fault, generalFaults, refusalFault } from '../../packages/testing/src/vendors/faults.ts'
import { linear } from '../../packages/testing/src/vendors/linear.ts'
import { shareOf } from '../../packages/testing/src/runs.ts'
import { batches, type BatchBench, isComplete, openBatch, type Outcome, runBatch, untruths } from './batches.ts'
import { frequencies, type Frequency } from './expectations.ts'

const faults = [...linear.refusals.map(refusalFault), ...generalFaults]
/** Classes of faults that a call survives if only one request is affected. */
const survived: readonly Fault['class'][] = ['transient', 'oversized', 'limited']

interface Cell {
  readonly fault: Fault
  /** Number of the request that fails; `always` also covers all that follow. */
  readonly at: number
  readonly frequency: Frequency
}

test.for(batches.map((batch, number) => ({ ...batch, number })))(
  '50 $name: each row is told truly and done once, whichever request fails',
  { timeout: 3_600_000 },
  async ({ number, ...batch }) => {
    const clock = new RunningClock()
    await using bench = await openBatch(batch, clock)
    const { requests, ...undisturbed } = await runBatch(bench)
    expect([isComplete(undisturbed.held, batch), untruths(undisturbed, { batch })]).toEqual([true, []])
    const cells = Array.from({ length: requests }, (_, at) => at).flatMap((at) =>
      faults.flatMap((fault) => frequencies.map((frequency): Cell => ({ fault, at, frequency }))),
    )
    // Not a multiple of the number of faults, so that a sample contains different ones.
    const chosen = shareOf(cells, Math.ceil(cells.length / 6) + 1, number)
    const problems: string[] = []
    for (const cell of chosen) {
      await bench.opened.reset()
      const fail = (index: number) => (index === cell.at || (cell.frequency === 'always' && index > cell.at) ? cell.fault.fail : undefined)
      const outcome = await runBatch(bench, fail)
      const name = `${cell.fault.name} at request ${cell.at + 1}, ${cell.frequency}`
      problems.push(...problemsOf(bench, cell, outcome).map((problem) => `${name}: ${problem}`))
    }
    process.stdout.write(`50 ${batch.name}: ${chosen.length} of ${cells.length} cells, ${problems.length} problems.\n`)
    expect(problems).toEqual([])
  },
)

function problemsOf({ batch }: BatchBench, { fault, frequency }: Cell, outcome: Outcome): string[] {
  const { answer, held, again, elapsedMs } = outcome
  const isSurvived = frequency === 'once' && survived.includes(fault.class)
  const lost = isSurvived && (answer.error !== undefined || !isComplete(held, batch)) ? ['a single failure was not survived'] : []
  // A call that ends with an error about a quota is made again once the hour is over, as a separate call.
  const isRepeated = again !== undefined && fault.class !== 'exhausted'
  const repeat = isRepeated && !isComplete(again.held, batch) ? [`the repeat left it incomplete: ${again.answer.text.slice(0, 300)}`] : []
  const untrue = isRepeated ? untruths(again, { batch, before: held }).map((text) => `after the repeat, ${text}`) : []
  const late = elapsedMs > 30_000 ? [`it took ${elapsedMs} ms`] : []
  return [...late, ...untruths(outcome, { batch, isCommitted: fault.isCommitted === true }), ...lost, ...repeat, ...untrue]
}
