import { stringAt } from '@mcp-toolkits/emulator'
import { entity } from '../engine/crud.ts'
import { slugify } from '../ids.ts'
import { columnsOf } from '../store/entity-type.ts'
import { recordEntity } from '../store/record-entity.ts'

/** Documents belonging to projects, initiatives, issues and teams. */
export const documents = entity('Document', {
  check: (session, _values, before) => ({ updatedById: before === undefined ? null : session.viewerId }),
  fields: {
    url: (source, _, { pageUrl }) => pageUrl(`/document/${slugify(stringAt(source, 'title'))}-${stringAt(source, 'slugId')}`),
  },
})

/** The columns of documents that are read before the vendor's schema is loaded; the schema defines the other columns. */
export const documentRows = recordEntity({
  type: 'Document',
  columns: columnsOf('title, slugId, content?, projectId?, initiativeId?, issueId?, teamId?, updatedById?'),
  searched: ['title', 'slugId'],
})
