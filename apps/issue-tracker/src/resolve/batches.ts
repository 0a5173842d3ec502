import { member } from '@mcp-toolkits/core/base'
import {
  ErrorCollector,
  InvalidInput,
  Message,
  NotFound,
  sentence,
  throwCombined,
  type ToolError,
  withDetails,
} from '@mcp-toolkits/core/errors'
import type * as z from 'zod'
import type { LinearCall } from '../linear/client.ts'
import {
  type BatchTarget,
  type BatchTeam,
  type BatchWorkspace,
  hasUnreadGroups,
  lookUpIssues,
  lookUpNewIssues,
} from '../linear/issues/batch-lookups.ts'
import { type IssueReferences, listSuggestions, type NewIssueReferences, teamSuggestions, type TeamSuggestions } from '../linear/lookups.ts'
import type { TeamRef } from '../linear/records.ts'
import { issueId, labelFilter, pageIn, plainReading, readingsOf, stateFilter } from '../linear/references.ts'
import { pageParameters, requireOwnWorkspace } from '../linear/workspace.ts'
import { readIdentifiers } from './identifiers.ts'
import type { TeamScope } from './issue-queries.ts'
import { type IssueChangeIds, matchNamed, matchTeam, type NewIssueIds } from './issues.ts'
import { isMe, type Notice } from './matching.ts'
import { findMovedIssue, issueRef, notFound } from './not-found.ts'
import { checkOpen } from './rules.ts'

/** A row of a batch, and the ids that its references mean. */
export interface Resolved<Row, Ids> {
  readonly row: Row
  readonly ids: Ids
  /** Names by id. */
  readonly names: ReadonlyMap<string, string>
  readonly notices: readonly string[]
}

interface References extends IssueReferences {
  readonly estimate?: number | undefined
}

export interface NewRow extends References, NewIssueReferences {
  readonly namesAssignee: boolean
}

export interface ChangeRow extends References {
  readonly issue_id: string
  readonly text: boolean
  readonly canOmit: boolean
}

/** A row being resolved, with its own notices and error. */
interface Attempt<Row> {
  readonly row: Row
  readonly notices: string[]
  error?: ToolError | undefined
}

interface Batch {
  readonly linear: LinearCall
  /** The rows as the caller wrote them, for errors that propose corrections. */
  readonly written: readonly object[]
  readonly autoAccept: boolean
}

/**
 * The ids for all new issues in a batch. Takes one request, plus one for each team in whose rows something does not match. The errors of
 * all rows are thrown as one, which names the rows.
 */
export async function resolveNewIssues<Row extends NewRow>(batch: Batch, rows: readonly Row[]) {
  const { linear } = batch
  const attempts = await readRows(linear, rows)
  const { found, teams } = await findTeams(batch, attempts)
  const { parents, missing } = await findParents(linear, attempts, found.parents ?? [])
  const matched = await matchRows(batch, attempts, (attempt) => {
    const team = teams.get(attempt)
    const collector = new ErrorCollector()
    const scope = team && scopeIn(found, team, attempt.row)
    if (scope)
      collector.collect(() => {
        checkOpen(scope.team)
      })
    const failures = [...collector.failures, ...(missing.get(attempt) ?? [])]
    return scope && { ...scope, failures, canOmit: true, canClear: false, canLeaveUnassigned: !attempt.row.namesAssignee }
  })
  throwRows(attempts, batch.written)
  return attempts.map((attempt): Resolved<Row, NewIssueIds> & { readonly twin: string | undefined } => {
    const { ids, names, team } = required(matched.get(attempt))
    const { addedLabelIds: labelIds, assigneeId, delegateId, stateId, projectId, cycleId } = ids
    const parent = attempt.row.parent_issue === undefined ? undefined : required(parents.get(attempt))
    const twin = found.twins.find((each) => each.team.id === team.id && sameTitle(each.title, attempt.row.title))
    if (parent) names.set(parent.id, parent.identifier)
    names.set(team.id, team.key)
    return {
      row: attempt.row,
      ids: { teamId: team.id, assigneeId, delegateId, stateId, projectId, cycleId, labelIds, parentId: parent?.id },
      names,
      notices: attempt.notices,
      twin: twin?.identifier,
    }
  })
}

/** The rules for one row: those for its arguments alone, and those that depend on its issue. */
interface RowRules<Row> {
  readonly checkArguments: (row: Row) => void
  readonly checkChange: (row: Row, issue: BatchTarget) => void
}

/** Like `resolveNewIssues`, but for changes to issues; also returns the current state of the issues. */
export async function resolveChanges<Row extends ChangeRow>(batch: Batch, rows: readonly Row[], rules: RowRules<Row>) {
  const { linear } = batch
  const attempts = await readRows(linear, rows)
  for (const attempt of attempts) checkRow(attempt, rules.checkArguments)
  const { found, targets } = await findTargets(linear, attempts)
  const matched = await matchRows(batch, attempts, (attempt) => {
    const issue = targets.get(attempt)
    const team = issue && found.teams.find(({ id }) => id === issue.team.id)
    const scope = team && scopeIn(found, team, attempt.row)
    if (!issue || !scope) return undefined
    const present = [...issue.labels, ...(found.labels ?? []).filter(({ id }) => issue.label_ids.includes(id))]
    const changesLabels = attempt.row.labels_to_add !== undefined && hasUnreadGroups(issue)
    return { ...scope, present, failures: changesLabels ? [manyLabels(issue)] : [], canOmit: attempt.row.canOmit, canClear: true }
  })
  for (const attempt of matched.keys()) {
    const issue = required(targets.get(attempt))
    checkRow(attempt, (row) => {
      rules.checkChange(row, issue)
    })
  }
  throwRows(attempts, batch.written)
  return attempts.map((attempt): Resolved<Row, IssueChangeIds> & { readonly issue: BatchTarget } => {
    const { ids, names } = required(matched.get(attempt))
    return { row: attempt.row, ids, names, notices: attempt.notices, issue: required(targets.get(attempt)) }
  })
}

const sameTitle = (one: string, other: string) => one.trim().toLowerCase() === other.trim().toLowerCase()

const manyLabels = ({ identifier }: BatchTarget) =>
  new InvalidInput(
    Message.of(`${identifier} has labels from many groups.`, sentence`Add labels to it with ${{ tool: 'IssueTracker.UpdateIssue' }}.`),
  )

/** Returns a result, which every row without an error has unless something was deleted during the call. */
function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new NotFound('Something that this call names was deleted while the call ran. Retry the call.')
  return value
}

/** The rows with identifiers in Linear's form; any URLs must belong to this workspace. */
async function readRows<Row extends object>(linear: LinearCall, rows: readonly Row[]): Promise<Attempt<Row>[]> {
  const texts = rows.flatMap((row) => pageParameters.map((parameter) => member(row, parameter)))
  const pages = texts.filter((text) => typeof text === 'string').filter((text) => pageIn(plainReading(text)))
  const byWorkspace = new Map(pages.map((text) => [pageIn(plainReading(text))?.workspace, text]))
  for (const issue of byWorkspace.values()) await requireOwnWorkspace(linear, { issue })
  return Promise.all(
    rows.map(async (row) => {
      const notices: string[] = []
      return { row: await readIdentifiers(linear, row, (text) => notices.push(text)), notices }
    }),
  )
}

/** Runs part of the work on a row. An argument error is kept as that row's error. */
async function attemptRow<Result>(attempt: Attempt<object>, work: (notice: Notice) => Promise<Result>): Promise<Result | undefined> {
  const collector = new ErrorCollector()
  const notices: string[] = []
  const get = await collector.collectAsync(work((text) => notices.push(text)))
  const [error] = collector.failures
  attempt.error = error
  if (error) return undefined
  attempt.notices.push(...notices)
  return get()
}

/** Checks a row against a rule. */
function checkRow<Row>(attempt: Attempt<Row>, rule: (row: Row) => void): void {
  const collector = new ErrorCollector()
  collector.collect(() => {
    rule(attempt.row)
  })
  const [error] = collector.failures
  attempt.error = error
}

/**
 * Each row's team, and everything that the rows refer to. An unknown team name costs one request, and one more if a similar name is
 * accepted.
 */
async function findTeams<Row extends NewRow>({ linear, autoAccept }: Batch, attempts: readonly Attempt<Row>[]) {
  let found = await lookUpNewIssues(
    linear,
    attempts.map(({ row }) => row),
  )
  const ids = new Map<Attempt<Row>, string>()
  const match = async (attempt: Attempt<Row>, known: Parameters<typeof matchTeam>[1], accepts: boolean) => {
    const { team } = attempt.row
    const id = await attemptRow(attempt, async (notice) => matchTeam({ team, auto_accept_matches: accepts }, known, notice))
    if (id !== undefined) ids.set(attempt, id)
  }
  for (const attempt of attempts) await match(attempt, { team: found.teams, teams: [] }, false)
  const missed = attempts.filter(({ error }) => error instanceof NotFound)
  if (missed.length > 0) {
    const flags = { team: true, state: false, assignee: false, label: false, project: false }
    const { team: teams = [] } = await linear.send(listSuggestions, flags)
    for (const attempt of missed) await match(attempt, { team: [], teams }, autoAccept)
    const isNear = missed.some((attempt) => ids.has(attempt))
    if (isNear)
      found = await lookUpNewIssues(
        linear,
        attempts.map((attempt) => ({ ...attempt.row, team: ids.get(attempt) ?? attempt.row.team })),
      )
  }
  const teams = new Map([...ids].map(([attempt, id]) => [attempt, found.teams.find((team) => team.id === id)]))
  return { found, teams }
}

type FoundParents = readonly { readonly id: string; readonly identifier: string }[]

/** Finds the parents that rows name; each former identifier costs one request. */
async function findParents<Row extends NewRow>(linear: LinearCall, attempts: readonly Attempt<Row>[], found: FoundParents) {
  const parents = new Map<Attempt<Row>, FoundParents[number]>()
  const missing = new Map<Attempt<Row>, readonly ToolError[]>()
  for (const attempt of attempts) {
    const { parent_issue: reference } = attempt.row
    if (reference === undefined || attempt.error) continue
    const parent = byReference(found, reference) ?? (await findMovedIssue(linear, reference))
    if (parent) parents.set(attempt, parent)
    else missing.set(attempt, [notFound(issueRef(reference), 'parent_issue')])
  }
  return { parents, missing }
}

function byReference<Issue extends FoundParents[number]>(issues: readonly Issue[], reference: string): Issue | undefined {
  const text = issueId(reference).toLowerCase()
  return issues.find(({ id, identifier }) => id === text || identifier.toLowerCase() === text)
}

/**
 * Finds the rows' issues, which must all differ. Each former identifier costs one request, and reading the issues again afterwards costs
 * one more.
 */
async function findTargets<Row extends ChangeRow>(linear: LinearCall, attempts: readonly Attempt<Row>[]) {
  const lookUp = async (moved: ReadonlyMap<Attempt<Row>, string>) =>
    lookUpIssues(
      linear,
      attempts.map((attempt) => ({ ...attempt.row, id: moved.get(attempt) ?? attempt.row.issue_id })),
    )
  const moved = new Map<Attempt<Row>, string>()
  let found = await lookUp(moved)
  for (const attempt of attempts) {
    if (attempt.error || byReference(found.issues, attempt.row.issue_id)) continue
    const other = await findMovedIssue(linear, attempt.row.issue_id)
    if (other) moved.set(attempt, other.id)
  }
  if (moved.size > 0) found = await lookUp(moved)
  const targets = new Map<Attempt<Row>, BatchTarget>()
  for (const attempt of attempts) {
    if (attempt.error) continue
    const target = byReference(found.issues, moved.get(attempt) ?? attempt.row.issue_id)
    const earlier = [...targets.values()].find(({ id }) => id === target?.id)
    if (!target) attempt.error = notFound(issueRef(issueId(attempt.row.issue_id)), 'issue_id')
    else if (earlier)
      attempt.error = new InvalidInput(`${earlier.identifier} is in another row too. Put all changes to an issue in one row.`)
    else targets.set(attempt, target)
  }
  return { found, targets }
}

/** A row's scope: the records of its team and of the workspace, in the form that a single call's lookup returns. */
function scopeIn(found: BatchWorkspace, team: BatchTeam, { assignee }: References): TeamScope {
  const { people = [], projects, viewer } = found
  // An archived label can only be removed.
  const labels = (found.labels ?? []).filter(({ archived_at: archivedAt }) => archivedAt === undefined)
  return {
    team: { ...team, labels: labels.filter((label) => label.team?.id === team.id) },
    workspace: {
      organization: { labels: labels.filter((label) => !label.team) },
      people: isMe(assignee) ? [viewer] : people,
      projects,
    },
    present: [],
    failures: [],
    canOmit: true,
    canClear: false,
    canLeaveUnassigned: false,
  }
}

type Matched = Awaited<ReturnType<typeof matchNamed>>
interface MatchedRow {
  readonly ids: Matched['ids']
  readonly names: Map<string, string>
  readonly team: z.output<typeof TeamRef>
}

/** Matches the references in all rows: first exactly, then the rest against suggestions, with one request per team. */
async function matchRows<Row extends References>(
  { linear, autoAccept }: Batch,
  attempts: readonly Attempt<Row>[],
  scopeOf: (attempt: Attempt<Row>) => TeamScope | undefined,
): Promise<ReadonlyMap<Attempt<Row>, MatchedRow>> {
  const matched = new Map<Attempt<Row>, MatchedRow>()
  const match = async (attempt: Attempt<Row>, scope: TeamScope, accepts: boolean) => {
    const { row } = attempt
    const result = await attemptRow(attempt, async (notice) =>
      matchNamed({ linear, notice }, { ...row, auto_accept_matches: accepts }, scope),
    )
    if (result) matched.set(attempt, { ids: result.ids, names: new Map(result.names.map(({ id, name }) => [id, name])), team: scope.team })
  }
  const missed: { readonly attempt: Attempt<Row>; readonly scope: TeamScope }[] = []
  for (const attempt of attempts) {
    const scope = attempt.error ? undefined : scopeOf(attempt)
    if (!scope) continue
    await match(attempt, { ...scope, suggestions: { team: {} } }, false)
    if (!matched.has(attempt)) missed.push({ attempt, scope })
  }
  for (const [team, rows] of Map.groupBy(missed, ({ scope }) => scope.team.id)) {
    const suggestions = await suggestFor(
      linear,
      team,
      rows.map(({ attempt }) => attempt.row),
    )
    for (const { attempt, scope } of rows) await match(attempt, { ...scope, suggestions }, autoAccept)
  }
  return matched
}

/** Suggestions for all references in some of a team's rows. */
async function suggestFor(linear: LinearCall, team: string, rows: readonly References[]): Promise<TeamSuggestions> {
  const labels = rows.flatMap((row) => [...(row.labels_to_add ?? []), ...(row.labels_to_remove ?? [])])
  const states = rows.flatMap(({ state }) => state ?? [])
  return linear.send(teamSuggestions, {
    team,
    allPeople: rows.some(({ assignee }) => assignee !== undefined),
    allLabels: labels.length > 0,
    allProjects: rows.some(({ project }) => project !== undefined),
    allCycles: rows.some(({ cycle }) => cycle !== undefined),
    labels: labels.length === 0 ? undefined : labelFilter(...labels.flatMap(readingsOf)),
    state: states.length === 0 ? undefined : stateFilter(...states.flatMap(readingsOf)),
  })
}

/** Throws the errors of all rows as one, which names the rows. If each has a correction, it proposes the whole corrected list. */
function throwRows(attempts: readonly Attempt<object>[], written: readonly object[]): void {
  const fixes = attempts.map(({ error }) => error && (error.details.next?.change ?? 'unknown'))
  const issues = written.map((row, index) => corrected(row, fixes[index]))
  const canFix = !fixes.includes('unknown')
  throwCombined(
    attempts.flatMap(({ error }, index) => {
      if (!error) return []
      // A choice would apply to one row, but no parameter names a row.
      const { next, suggestions } = error.details
      const step = canFix ? { change: { issues } } : next?.tool === undefined ? undefined : next
      const text = Message.of(`Row ${index + 1}:`, error.text)
      return [withDetails(error, text, { ...(suggestions && { suggestions }), ...(step && { next: step }) })]
    }),
  )
}

/** A row with changed arguments; null removes an argument. */
function corrected(row: object, change: unknown): object {
  const changed = { ...row, ...(typeof change === 'object' ? change : {}) }
  return Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== null && value !== undefined))
}
