import { pipeline, type Pipeline, type PipelineSettings } from '../pipeline.ts'

export const send = 'EventPipelineApi_SendEventsFromFile'
export const get = 'EventPipelineApi_GetBackfill'
export const list = 'EventPipelineApi_ListBackfills'
export const cancel = 'EventPipelineApi_CancelBackfill'

export const mapping = { userId: 'user', event: 'what', timestamp: 'when', 'properties.total': 'amount:number' }

/** A server with the backfill toolset. */
export const backfillServer = (settings: PipelineSettings = {}): Promise<Pipeline> => pipeline({ toolsets: ['backfill'], ...settings })

/** A CSV file with that many good rows. */
export function csvOf(rows: number): string {
  const lines = Array.from({ length: rows }, (_, index) => `u-${index},Paid,2026-01-31T12:00:00Z,${index}.5`)
  return ['user,what,when,amount', ...lines].join('\n')
}

/** Rows with long notes: a few hundred rows take several requests of 500 KB. */
export function longRows(rows: number) {
  const note = 'n'.repeat(2_500)
  const [header = '', ...lines] = csvOf(rows).split('\n')
  const text = [`${header},note`, ...lines.map((line) => `${line},${note}`)].join('\n')
  return { text, call: 'track', mapping: { ...mapping, 'properties.note': 'note' } }
}

/** The people of the events that the vendor has accepted, in order. */
export function acceptedBy({ emulator }: Pick<Pipeline, 'emulator'>): (string | null)[] {
  return emulator.store.events().flatMap(({ outcome, user_id: user }) => (outcome === 'accepted' ? [user] : []))
}
