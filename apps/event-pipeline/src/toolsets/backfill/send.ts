import { Message, sentence } from '@mcp-toolkits/core/errors'
import { withJsonSchema, withVocabulary, words } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { answerOf, checkOf } from '../../backfill/answer.ts'
import { sourceOf } from '../../backfill/file/plan.ts'
import { Report } from '../../backfill/view.ts'
import { defineTool } from '../../context.ts'
import { itemTypes } from '../../pipelines/calls.ts'

const columnMapping = withJsonSchema(z.record(z.string().max(200), z.string().max(500)), {
  type: 'object',
  additionalProperties: { type: 'string', maxLength: 500 },
  description:
    'Field of the call → column: {"userId": "email", "event": "=Signed Up", "timestamp": "at", "properties.total": "amount:number"}. "=" is a constant; kinds: text, number, boolean, time, json. Default: columns named like the fields.',
})

export const sendEventsFromFile = defineTool({
  name: 'SendEventsFromFile',
  title: 'Send events from a file',
  description: Message.of(
    'Send all rows of a CSV or NDJSON file (gzip too): backfill or import events, people or groups. Each row counts once, whatever happens; bad rows are refused and named, the others are sent. A long file continues in the background.',
    sentence`Check progress with ${{ tool: 'EventPipelineApi.GetBackfill' }}. Begin with dry_run.`,
  ),
  effect: 'create',
  destructive: true,
  writes: ({ dry_run }) => !dry_run,
  scopes: [],
  input: z.strictObject({
    source_url: withVocabulary(z.string().max(2_000), { names: words('url file_url file link source') })
      .optional()
      .describe('Public link to the file; can be a Google Drive file or sheet that anyone with the link can view.'),
    text: withVocabulary(z.string().max(5_000_000), { names: words('content csv ndjson data body') })
      .optional()
      .describe('The rows themselves, instead of source_url.'),
    format: z.enum(['csv', 'ndjson']).optional().describe('Default: detected from the first line.'),
    call: z.enum(itemTypes).optional().describe('The call that each row becomes. Leave out if each row is a call with its own "type".'),
    mapping: withVocabulary(columnMapping, { names: words('columns fields map column_mapping') }).optional(),
    rows: z
      .string()
      .regex(/^[\d\s,-]+$/)
      .max(2_000)
      .optional()
      .describe('Only these rows, such as "4,7-9". A CSV header is row 1.'),
    dry_run: z.boolean().default(false).describe('Check everything, show five rows as calls, and send nothing.'),
  }),
  output: Report,
  example: {
    text: 'email,what,when\nada@example.com,Signed Up,2026-01-31T12:00:00Z',
    call: 'track',
    mapping: { userId: 'email', event: 'what', timestamp: 'when' },
  },
  async run({ source_url, text, dry_run: isDry, ...way }, context, call) {
    const backfills = await context.backfills()
    const plan = { ...way, source: sourceOf({ source_url, text }, backfills.inputFile) }
    return isDry ? checkOf(plan, backfills, call) : answerOf(plan, backfills, call)
  },
})
