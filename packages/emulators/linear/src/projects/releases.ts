import { entity } from '../engine/crud.ts'
import { badArgument } from '../errors.ts'
import { idOf } from '../ids.ts'
import type { Session } from '../store/session.ts'

const stages = [
  { name: 'Planned', type: 'planned' },
  { name: 'In progress', type: 'started' },
  { name: 'Released', type: 'completed' },
  { name: 'Canceled', type: 'canceled' },
] as const

function firstStage(session: Session, pipelineId: unknown): string {
  const where = 'where a.pipelineId = :id and a.archivedAt is null order by a.position limit 1'
  const first = session.select('ReleaseStage', where, { id: String(pipelineId) })[0]
  if (first === undefined) throw badArgument('The pipeline has no stage.')
  return first.id
}

/** Release pipelines, which are created with stages. */
export const releasePipelines = entity('ReleasePipeline', {
  afterCreate(session, row) {
    const pipelineId = row.id
    for (const [position, { name, type }] of stages.entries())
      session.insert('ReleaseStage', {
        id: idOf(`ReleaseStage ${pipelineId} ${name}`),
        name,
        type,
        position,
        color: '#bec2c8',
        pipelineId,
      })
    return row
  },
})

export const releases = entity('Release', {
  check: (session, values, before) =>
    before === undefined && values['stageId'] === undefined ? { stageId: firstStage(session, values['pipelineId']) } : undefined,
})
