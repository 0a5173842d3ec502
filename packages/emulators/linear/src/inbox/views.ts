import { isObject, parseJson } from '@mcp-toolkits/emulator'
import { entity } from '../engine/crud.ts'
import type { FieldResolver } from '../engine/entity-module.ts'
import { optionalObject } from '../engine/inputs.ts'

/** The entities shown in a view: those that its filter selects. */
const viewed =
  (type: string, key: string): FieldResolver =>
  (source, args, session) => {
    const stored = typeof source[key] === 'string' ? parseJson(source[key]) : source[key]
    const own = isObject(args['filter']) ? [args['filter']] : []
    const team = type === 'Issue' && typeof source['teamId'] === 'string' ? [{ team: { id: { eq: source['teamId'] } } }] : []
    return session.page(type, { ...args, filter: { and: [optionalObject(stored), ...own, ...team] } })
  }

/** Views, which show the entities that their filters select. */
export const views = entity('CustomView', {
  defaults: () => ({ shared: false, modelName: 'Issue', filterData: '{}' }),
  fields: {
    issues: viewed('Issue', 'filterData'),
    projects: viewed('Project', 'projectFilterData'),
    initiatives: viewed('Initiative', 'initiativeFilterData'),
    filters: (source) => (typeof source['filterData'] === 'string' ? parseJson(source['filterData']) : {}),
  },
})

export const templates = entity('Template', {
  queries: {
    templates: (_source, _args, session) => session.select('Template', 'where a.archivedAt is null order by a.name'),
    templateSearch: (_source, args, session) => session.page('Template', args).nodes,
  },
})
