import { Message, sentence } from '@mcp-toolkits/core/errors'
import { withVocabulary, words } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { cancelled, chosenBackfill } from '../../backfill/answer.ts'
import { argumentsOf, describeBackfill, Report } from '../../backfill/view.ts'
import { defineTool } from '../../context.ts'

const backfillId = (rest: string) =>
  withVocabulary(z.string().max(100), { names: words('id backfill_id') })
    .optional()
    .describe(`Its id. Default: ${rest}`)

export const getBackfill = defineTool({
  name: 'GetBackfill',
  title: 'Get a backfill',
  description: Message.of(
    'See how far a file of events has got: rows accepted, refused with the reason, and waiting, how long it will take and when to look again.',
    sentence`To see all of them, use ${{ tool: 'EventPipelineApi.ListBackfills' }}.`,
  ),
  effect: 'read',
  scopes: [],
  input: z.strictObject({ backfill: backfillId('the newest.') }),
  output: Report,
  example: {},
  async run({ backfill: id }, context, { scope, owner, notice }) {
    const backfill = await chosenBackfill((await context.backfills()).storeOf(owner), id)
    if (backfill) return { ...describeBackfill(backfill, scope.clock.now()), arguments: argumentsOf(backfill) }
    notice('No file of events has been sent for this account in the last 30 days.')
    return {}
  },
})

export const listBackfills = defineTool({
  name: 'ListBackfills',
  title: 'List backfills',
  description: Message.of(
    'List the files of events that were sent for this account in the last 30 days, the newest first, and the progress of each.',
    sentence`To see the refused rows of one, use ${{ tool: 'EventPipelineApi.GetBackfill' }}.`,
  ),
  effect: 'read',
  scopes: [],
  input: z.strictObject({ limit: z.int().min(1).max(100).default(20).describe('Maximum number of backfills.') }),
  output: z.object({
    backfills: z.array(Report.pick({ backfill: true, outcome: true, rows: true, created_at: true, ended_at: true })),
    pagination: z.object({ has_more: z.boolean(), end_cursor: z.null() }),
  }),
  example: {},
  async run({ limit }, context, { scope, owner }) {
    const found = await (await context.backfills()).storeOf(owner).list(limit + 1)
    const backfills = found.slice(0, limit).map((each) => {
      const { backfill, outcome, rows, created_at, ended_at } = describeBackfill(each, scope.clock.now())
      return { backfill, outcome, rows, created_at, ...(ended_at !== undefined && { ended_at }) }
    })
    return { backfills, pagination: { has_more: found.length > limit, end_cursor: null } }
  },
})

export const cancelBackfill = defineTool({
  name: 'CancelBackfill',
  title: 'Cancel a backfill',
  description: Message.of(
    'Stop, cancel or abort a file of events that is being sent. Rows that were accepted stay in Customer.io; the others are not sent.',
    sentence`To see its progress, use ${{ tool: 'EventPipelineApi.GetBackfill' }}.`,
  ),
  effect: 'delete',
  scopes: [],
  input: z.strictObject({ backfill: backfillId('the one that is being sent.') }),
  output: Report.extend({ changed: z.boolean().describe('False if it had already ended.') }),
  example: {},
  async run({ backfill: id }, context, { scope, owner, notice }) {
    const { backfill, changed, wasSending } = await cancelled(await context.backfills(), { id, owner })
    const counted = sentence`${{ tool: 'EventPipelineApi.GetBackfill' }} counts it.`
    if (changed && wasSending) notice(Message.of('A request that was on its way may still be accepted.', counted))
    if (!changed) notice(backfill ? 'It had already ended. Nothing was changed.' : 'Nothing is being sent. Nothing was changed.')
    return { ...(backfill && describeBackfill(backfill, scope.clock.now())), changed }
  },
})
