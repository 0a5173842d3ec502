import { InvalidInput, joinWords } from '@mcp-toolkits/core/errors'
import type { LinearCall } from '../../linear/client.ts'
import * as documents from '../../linear/planning/documents.ts'
import { documentFilter, initiativeFilter, issueFilter, issueId, projectFilter, readingsOf, teamFilter } from '../../linear/references.ts'
import { requireSameWorkspace } from '../../linear/workspace.ts'
import { candidate, matchReferences, type Notice, onlyOne } from '../matching.ts'
import { findMovedIssue, issueRef, notFound } from '../not-found.ts'

interface Resolution {
  readonly linear: LinearCall
  readonly autoAccept: boolean
  readonly notice: Notice
}

/** The document that a reference means, with its text. Takes one request, or more if the reference does not match. */
export async function findDocument(reference: string, { linear, autoAccept, notice }: Resolution): Promise<documents.StoredDocument> {
  const look = async (...readings: readonly string[]) =>
    (await linear.send(documents.documentLookup, { document: documentFilter(...readings) })).documents
  const found = await look(...readingsOf(reference))
  const toCandidate = ({ title, ...rest }: { readonly id: string; readonly title: string; readonly slug_id: string }) =>
    candidate({ ...rest, name: title })
  const matches = await matchReferences(
    { document: { kind: 'document', reference, found: found.map(toCandidate), listTool: { tool: 'IssueTracker.ListDocuments' } } },
    {
      autoAccept,
      notice,
      suggest: async () => ({ document: (await linear.send(documents.documentSuggestions, {})).documents.map(toCandidate) }),
    },
  )
  const { id } = onlyOne(matches('document'))
  const document = found.find((each) => each.id === id) ?? onlyOne(await look(id))
  await requireSameWorkspace(linear, reference, document.url)
  return document
}

const owners = ['project', 'initiative', 'issue', 'team'] as const

/** References to a document's possible owners; at most one is set. */
export type OwnerReferences = Partial<Readonly<Record<(typeof owners)[number], string | undefined>>>

/** The future owner's id as an input field; empty if the call names no owner. */
export async function findOwner(
  references: OwnerReferences,
  { linear, autoAccept, notice }: Resolution,
): Promise<Readonly<Record<string, string>>> {
  const named = owners.filter((owner) => references[owner] !== undefined)
  if (named.length > 1) throw new InvalidInput(`A document can belong to only one thing. Pass only one of ${joinWords(named)}.`)
  const { project, initiative, issue, team } = references
  if (named.length === 0) return {}
  const found = await linear.send(documents.documentOwners, {
    project: project === undefined ? undefined : projectFilter(...readingsOf(project)),
    initiative: initiative === undefined ? undefined : initiativeFilter(...readingsOf(initiative)),
    issue: issue === undefined ? undefined : issueFilter(issue),
    team: team === undefined ? undefined : teamFilter(...readingsOf(team)),
  })
  if (issue !== undefined) {
    const { id } = found.issue?.[0] ?? (await findMovedIssue(linear, issue)) ?? { id: undefined }
    if (id === undefined) throw notFound(issueRef(issueId(issue)))
    return { issueId: id }
  }
  const queryOf = (kind: 'project' | 'initiative' | 'team') => ({
    kind,
    reference: references[kind],
    found: (found[kind] ?? []).map(candidate),
  })
  const matches = await matchReferences(
    { project: queryOf('project'), initiative: queryOf('initiative'), team: queryOf('team') },
    {
      autoAccept,
      notice,
      async suggest(missed) {
        const flags = { projects: missed.has('project'), initiatives: missed.has('initiative'), teams: missed.has('team') }
        const all = await linear.send(documents.ownerSuggestions, flags)
        return { project: all.project?.map(candidate), initiative: all.initiative?.map(candidate), team: all.team?.map(candidate) }
      },
    },
  )
  const ids = (['project', 'initiative', 'team'] as const).map((kind) => [`${kind}Id`, matches(kind)[0]?.id] as const)
  return Object.fromEntries(ids.flatMap(([name, id]) => (id === undefined ? [] : [[name, id]])))
}
