import type { Context } from 'hono'
import * as z from 'zod'
import type { ControlExtension } from '../control-extension.ts'
import { parseJson } from '../json.ts'
import type { EmulatorClock } from './clock.ts'
import type { SnapshotDiff } from './diff.ts'
import { type Snapshots, UnknownSnapshotError } from './snapshots.ts'

const timeSchema = z.union([
  z.strictObject({ at: z.union([z.string(), z.number()]) }),
  z.strictObject({ advance: z.number().min(-8.64e15).max(8.64e15) }),
])

/** Snapshots and the clock, for programs in other processes. Everything here needs the token: a diff shows stored secrets. */
export const testRoutes = ({ clock, ...snapshots }: Snapshots & { readonly clock: EmulatorClock }): ControlExtension => ({
  reset: clock.reset,
  addRoutes(app, guard) {
    app.post('/__emulator/snapshots/:name', guard, (context) => {
      const name = context.req.param('name')
      snapshots.snapshot(name)
      return context.json({ snapshot: name })
    })
    app.post('/__emulator/snapshots/:name/restore', guard, (context) =>
      known(context, () => {
        const name = context.req.param('name')
        snapshots.restore(name)
        return { snapshot: name }
      }),
    )
    app.get('/__emulator/snapshots/:name/diff', guard, (context) =>
      known(context, () => ({ diff: written(snapshots.diff(context.req.param('name'), context.req.query('to'))) })),
    )
    const answer = (context: Context) => context.json({ at: new Date(clock.now()).toISOString() })
    app.get('/__emulator/clock', guard, answer)
    app.put('/__emulator/clock', guard, async (context) => {
      const parsed = timeSchema.safeParse(parseJson(await context.req.text()))
      if (!parsed.success)
        return context.json({ error: 'Send {"at": "2026-03-02T09:00:00Z"} or, to go on, {"advance": 60000} in milliseconds.' }, 400)
      try {
        if ('at' in parsed.data) clock.set(parsed.data.at)
        else clock.set(clock.now() + parsed.data.advance)
      } catch (error) {
        if (error instanceof RangeError) return context.json({ error: error.message }, 400)
        throw error
      }
      return answer(context)
    })
    app.delete('/__emulator/clock', guard, (context) => {
      clock.reset()
      return answer(context)
    })
  },
})

/** Answers 404 for the name of a snapshot that does not exist. */
function known(context: Context, work: () => object): Response {
  try {
    return context.json(work())
  } catch (error) {
    if (error instanceof UnknownSnapshotError) return context.json({ error: error.message }, 404)
    throw error
  }
}

/** Bytes as base64, which JSON has no form for. */
const written = (diff: SnapshotDiff): unknown =>
  parseJson(JSON.stringify(diff, (_, value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value)))
