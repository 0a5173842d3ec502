import * as z from 'zod'
import { relationTypes } from '../../resolve/relations.ts'
import { issueReference, noticesField } from '../parameters.ts'
import { IssueName } from '../rows.ts'

/** Parameters of the tools that add and remove a relation. */
export const relationParameters = {
  issue: issueReference.describe('The first issue: ENG-12, id or URL.'),
  related_issue: issueReference.describe('The second issue: ENG-12, id or URL.'),
  relation_type: z.enum(relationTypes).describe('What the first issue is to the second.'),
}

export const relationResult = {
  relation: z.object({ issue: IssueName, relation_type: z.enum(relationTypes), related_issue: IssueName }),
  changed: z.boolean(),
  ...noticesField,
}
