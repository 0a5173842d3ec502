import * as z from 'zod'
import { callTypes } from '../calls.ts'

const call = z
  .looseObject({
    type: z.enum(callTypes).describe('The path of the API that receives it.'),
    at: z
      .union([z.number(), z.string()])
      .describe('When it was received: days ago, with decimals where needed, or a time in ISO 8601. Days keep the data fresh.'),
  })
  .describe(
    'All other fields are those of the call: userId, anonymousId, event, properties, traits and so on. `messageId` and `timestamp` follow from it when absent. A call that the vendor would drop is stored with the reason.',
  )

const session = z
  .strictObject({
    with: z.record(z.string(), z.unknown()).optional().describe('Fields that each of the calls has, such as userId and context.'),
    calls: z.array(call).min(1),
  })
  .describe('Calls that have fields in common.')

/** Calls sent to the API earlier. */
export const pipelinesSeedSchema = z
  .strictObject({
    $schema: z.string().optional().describe('For editors: the address or path of this schema.'),
    sessions: z.array(session).optional(),
    calls: z.array(call).optional(),
  })
  .describe('What a new database of the Customer.io Pipelines emulator contains.')

export type PipelinesSeed = z.infer<typeof pipelinesSeedSchema>
export type SeedCall = z.infer<typeof call>
