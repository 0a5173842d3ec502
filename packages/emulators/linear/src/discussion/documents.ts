import { entity } from '../engine/crud.ts'

/** Documents of projects, initiatives, issues and teams. */
export const documents = entity('Document', {
  check: (session, _values, before) => ({ updatedById: before === undefined ? null : session.viewerId }),
})
