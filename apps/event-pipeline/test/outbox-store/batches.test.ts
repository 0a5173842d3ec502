import { expect, it } from 'vitest'
import { Batches, fulfilled } from '../../src/team/outbox/batches.ts'

/** Batches of items such as `a1`, whose key is the letter; each batch ends when the test says so. */
function recordBatches(maxWeight: number) {
  const batches: (readonly string[])[] = []
  let finish: () => void = () => undefined
  const run = async (items: readonly string[]) => {
    batches.push(items)
    await new Promise<void>((resolve) => {
      finish = resolve
    })
    if (items.includes('broken1')) throw new Error('nothing was stored')
    return items.map((item): PromiseSettledResult<string> =>
      item.startsWith('x') ? { status: 'rejected', reason: new Error(item) } : { status: 'fulfilled', value: `did ${item}` },
    )
  }
  const keysOf = (item: string) => [item.slice(0, -1)]
  const work = new Batches({ run, maxWeight, keysOf, weightOf: (item) => (item.startsWith('heavy') ? 10 : 1) })
  /** Ends batches until the work is done. */
  const finishAll = async <T>(pending: Promise<T>): Promise<T> => {
    const state = { isDone: false }
    const done = pending.finally(() => {
      state.isDone = true
    })
    done.catch(() => undefined)
    for (let turn = 0; turn < 100 && !state.isDone; turn += 1) {
      finish()
      await Promise.resolve()
    }
    return done
  }
  return { batches, add: (item: string) => work.add(item), settled: () => work.settled(), finishAll }
}

it('items added while a batch is running form the next one', async () => {
  const { batches, add, finishAll } = recordBatches(10)
  const first = add('a1')
  await Promise.resolve()
  const all = Promise.all([first, add('b1'), add('c1')])
  expect(await finishAll(all)).toEqual(['did a1', 'did b1', 'did c1'])
  expect(batches).toEqual([['a1'], ['b1', 'c1']])
})

it('items that share a key keep their order, one in each batch', async () => {
  const { batches, add, finishAll } = recordBatches(10)
  await finishAll(Promise.all(['a1', 'a2', 'b1', 'a3', 'c1'].map(add)))
  expect(batches).toEqual([['a1', 'b1', 'c1'], ['a2'], ['a3']])
})

it('a batch has a maximum weight, and a heavier item gets its own batch', async () => {
  const { batches, add, finishAll } = recordBatches(2)
  await finishAll(Promise.all(['a1', 'heavy1', 'b1', 'c1'].map(add)))
  expect(batches).toEqual([['a1', 'b1'], ['heavy1'], ['c1']])
})

it('an item that fails does not affect the others; a batch that fails affects all of its items', async () => {
  const { add, finishAll } = recordBatches(10)
  const outcomes = await finishAll(Promise.allSettled(['a1', 'x1', 'b1'].map(add)))
  expect(outcomes).toEqual([...fulfilled(['did a1']), { status: 'rejected', reason: new Error('x1') }, ...fulfilled(['did b1'])])
  const failed = await finishAll(Promise.allSettled(['broken1', 'b2'].map(add)))
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await finishAll(add('c1'))).toBe('did c1')
})

it('is settled when everything added has ended', async () => {
  const { batches, add, settled, finishAll } = recordBatches(1)
  await settled()
  const added = Promise.all(['a1', 'b1', 'c1'].map(add))
  await finishAll(settled())
  expect(batches).toEqual([['a1'], ['b1'], ['c1']])
  expect(await added).toHaveLength(3)
})
