import * as z from 'zod'
import { callTypes } from '../calls.ts'

const call = z
  .looseObject({
    type: z.enum(callTypes).describe('The API path that receives the call.'),
    at: z
      .union([z.number(), z.string()])
      .describe(
        'The time when the call was received: days ago, with decimals where needed, or a time in ISO 8601. Relative dates stay fresh.',
      ),
  })
  .describe(
    'All other fields are those of the call: userId, anonymousId, event, properties, traits and so on. By default, `messageId` is `seed-` and a number, and `timestamp` is the time of receipt. A call that the vendor would drop is stored with the reason.',
  )

const session = z
  .strictObject({
    with: z.record(z.string(), z.unknown()).optional().describe('Fields that all of these calls have, such as userId and context.'),
    calls: z.array(call).min(1),
  })
  .describe('Calls that have fields in common.')

/** Calls sent to the API earlier. */
export const pipelinesSeedSchema = z
  .strictObject({
    $schema: z.string().optional().describe('The URL or path of this schema, for editors.'),
    sessions: z.array(session).optional(),
    calls: z.array(call).optional(),
  })
  .describe('What a new database in the Customer.io Pipelines emulator contains.')

export type PipelinesSeed = z.infer<typeof pipelinesSeedSchema>
export type SeedCall = z.infer<typeof call>
