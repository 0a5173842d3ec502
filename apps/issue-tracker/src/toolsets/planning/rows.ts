import * as z from 'zod'
import type { Milestone } from '../../linear/planning/milestones.ts'
import { compact, text } from '../../tools/rows.ts'

export const MilestoneRow = z.object({
  id: text,
  name: text,
  target_date: text.optional().describe('YYYY-MM-DD'),
  status: text.optional(),
  progress: z.number().optional().describe('0 to 1.'),
})

export function milestoneRow({ id, name, target_date: target, status, progress }: Milestone): z.output<typeof MilestoneRow> {
  return compact({ id, name, target_date: target, status, progress: progress === undefined ? undefined : Math.round(progress * 100) / 100 })
}
