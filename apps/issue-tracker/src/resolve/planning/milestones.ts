import { joinWords, quote } from '@mcp-toolkits/core/errors'
import type { Candidate } from '@mcp-toolkits/core/references'
import { candidate, matchReferences, type NamedRecord, type Notice, onlyOne } from '../matching.ts'

interface MilestoneReference<Parameter extends string> {
  readonly parameter: Parameter
  readonly reference: string
  readonly autoAccept?: boolean
  readonly notice: Notice
}

/** A project with the members that `milestoneMatches` selects. */
interface ProjectWithMilestones<Milestone extends NamedRecord> {
  readonly slug_id: string
  readonly milestone: readonly Milestone[]
  readonly all_milestones: readonly NamedRecord[]
  /** Milestones in any project that match the reference. */
  readonly elsewhere?: readonly (NamedRecord & { readonly project: { readonly name: string } })[]
}

/** The project milestone that a reference means: its id and name, and its record unless it matched only approximately. */
export async function findMilestone<Parameter extends string, Milestone extends NamedRecord>(
  { parameter, reference, autoAccept = false, notice }: MilestoneReference<Parameter>,
  { slug_id: slug, milestone: found, all_milestones: all, elsewhere = [] }: ProjectWithMilestones<Milestone>,
): Promise<{ readonly id: string; readonly name: string; readonly found: Milestone | undefined }> {
  const listTool = { tool: 'IssueTracker.GetProject', arguments: { value: slug, lookup_by: 'slug_id' } }
  const owners = ({ name }: Candidate) => elsewhere.filter((each) => each.name === name).map((each) => quote(each.project.name, 80))
  const ineligible = {
    candidates: elsewhere.map(candidate),
    explain: (milestone: Candidate) => ({
      message: `${quote(milestone.name, 80)} is a milestone of project ${joinWords(owners(milestone))}, and this project has none by that name.`,
    }),
  }
  const matches = await matchReferences(
    { [parameter]: { kind: 'milestone', reference, found: found.map(candidate), listTool, ineligible } },
    { autoAccept, notice, suggest: async () => Promise.resolve({ milestone: all.map(candidate) }) },
  )
  const { id, name } = onlyOne(matches(parameter))
  return { id, name, found: found.find((each) => each.id === id) }
}
