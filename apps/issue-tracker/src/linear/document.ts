import type { LinearDocument as Linear } from '@linear/sdk'
import { isObject } from '@mcp-toolkits/core/base'
import * as z from 'zod'
import type { UnknownField } from './errors.ts'

/** Linear's priorities by number. https://linear.app/developers/graphql */
export const priorities = ['no_priority', 'urgent', 'high', 'medium', 'low'] as const
export type Priority = (typeof priorities)[number]

/** A GraphQL query or mutation, with its data's schema in snake_case. */
export interface Document<Variables extends object, Data extends z.ZodType> {
  readonly name: string
  readonly text: string
  readonly data: Data
  /** The variables' types. */
  readonly declarations: Declarations
  /** Variables `x` for which the document also declares `$hasX`, which is true if `x` is present. */
  readonly conditions: readonly string[]
  /** The document without the given optional fields, for when Linear does not know them. */
  readonly without: (unknown: readonly UnknownField[]) => Pick<Document<object, z.ZodType>, 'text' | 'conditions'>
  /** The variables' type; never set. */
  readonly variables?: (variables: Variables) => void
}

/** A value as sent: enum members are sent as strings. */
type Plain<Value> = Value extends string ? `${Value}` : Value

/** An input whose optional fields may also be undefined; undefined is not sent. */
export type InputOf<Input> = {
  readonly [Key in keyof Input]: Partial<Pick<Input, Key>> extends Pick<Input, Key> ? Plain<Input[Key]> | undefined : Plain<Input[Key]>
}

/** Linear's variable types. */
export interface VariableTypes {
  readonly Boolean: boolean
  readonly DateTimeOrDuration: string
  readonly ID: string
  readonly Int: number
  readonly String: string
  readonly AttachmentCreateInput: Linear.AttachmentCreateInput
  readonly AttachmentFilter: Linear.AttachmentFilter
  readonly CommentCreateInput: InputOf<Linear.CommentCreateInput>
  readonly CommentUpdateInput: Linear.CommentUpdateInput
  readonly CustomerNeedFilter: Linear.CustomerNeedFilter
  readonly CycleFilter: Linear.CycleFilter
  readonly DocumentCreateInput: InputOf<Linear.DocumentCreateInput>
  readonly DocumentFilter: Linear.DocumentFilter
  readonly DocumentUpdateInput: InputOf<Linear.DocumentUpdateInput>
  readonly InitiativeCreateInput: InputOf<Linear.InitiativeCreateInput>
  readonly InitiativeFilter: Linear.InitiativeFilter
  readonly InitiativeToProjectCreateInput: Linear.InitiativeToProjectCreateInput
  readonly InitiativeUpdateInput: InputOf<Linear.InitiativeUpdateInput>
  readonly IssueBatchCreateInput: { readonly issues: readonly InputOf<Linear.IssueCreateInput>[] }
  readonly IssueCreateInput: InputOf<Linear.IssueCreateInput>
  readonly IssueFilter: Linear.IssueFilter
  readonly IssueLabelFilter: Linear.IssueLabelFilter
  readonly IssueRelationCreateInput: InputOf<Linear.IssueRelationCreateInput>
  readonly IssueUpdateInput: InputOf<Linear.IssueUpdateInput>
  readonly PaginationOrderBy: 'createdAt' | 'updatedAt'
  readonly ProjectCreateInput: InputOf<Linear.ProjectCreateInput>
  readonly ProjectFilter: Linear.ProjectFilter
  readonly ProjectMilestoneCreateInput: InputOf<Linear.ProjectMilestoneCreateInput>
  readonly ProjectMilestoneFilter: Linear.ProjectMilestoneFilter
  readonly ProjectMilestoneUpdateInput: InputOf<Linear.ProjectMilestoneUpdateInput>
  readonly ProjectStatusCreateInput: InputOf<Linear.ProjectStatusCreateInput>
  readonly ProjectUpdateCreateInput: InputOf<Linear.ProjectUpdateCreateInput>
  readonly ProjectUpdateInput: InputOf<Linear.ProjectUpdateInput>
  readonly TeamFilter: Linear.TeamFilter
  readonly UserFilter: Linear.UserFilter
  readonly WorkflowStateFilter: Linear.WorkflowStateFilter
}

type VariableType = keyof VariableTypes
export type Declarations = Readonly<Record<string, VariableType | `${VariableType}!`>>

/** The values of declared variables; those without `!` may be absent. */
export type Variables<Declared extends Declarations> = {
  readonly [
    Name in keyof Declared as Declared[Name] extends `${string}!` ? Name : never
  ]: Declared[Name] extends `${infer Type extends VariableType}!` ? VariableTypes[Type] : never
} & {
  readonly [Name in keyof Declared as Declared[Name] extends `${string}!` ? never : Name]?:
    | (Declared[Name] extends VariableType ? VariableTypes[Declared[Name]] : never)
    | undefined
}

/** The variables of a document that returns one page of a list. */
export const pageVariables = { first: 'Int!', after: 'String' } as const satisfies Declarations

interface Selection {
  /** The field with its arguments and directives; by default, the member's camelCase name. */
  readonly field?: string
  /** True for a connection, whose records are its `nodes`. */
  readonly isConnection?: boolean
  /** The implementing type that has the field. */
  readonly onType?: string
  /** The record's type, if several members of the document share its selection as a fragment. */
  readonly sharedType?: string
}

const selections = z.registry<Selection>()

/** A member of a record for which the document needs more than its name: arguments, a directive or a different name. */
export function field<Record extends z.ZodType>(text: string, record: Record): Record {
  return withSelection(record, { field: text })
}

/** The records of a connection. */
export function nodes<Record extends z.ZodType>(text: string, record: Record): z.ZodArray<Record> {
  return withSelection(z.array(record), { field: text, isConnection: true })
}

/** A member that only one implementing type has. */
export function onType<Record extends z.ZodType>(type: string, record: Record): Record {
  return withSelection(record, { onType: type })
}

/** A record that several members of a document share: its selection is written once, because servers limit a document's length. */
export function shared<Record extends z.ZodType>(type: string, record: Record): Record {
  return withSelection(record, { sharedType: type })
}

function withSelection<Record extends z.ZodType>(record: Record, selection: Selection): Record {
  // A copy, because a record can be selected differently in each document.
  const copy = record.clone()
  selections.add(copy, selection)
  return copy
}

/**
 * A query whose text is derived from its data's schema:
 *
 * query('GetCycle', { id: 'String!' }, { cycle: field('cycle(id: $id)', CycleDetail) })
 *
 * Values are passed as variables, never as text.
 */
export function query<const Declared extends Declarations, Shape extends z.ZodRawShape>(
  name: string,
  declarations: Declared,
  shape: Shape,
) {
  return documentOf<Variables<Declared>, Shape>('query', name, declarations, shape)
}

/** A mutation whose text is derived from its data's schema. Each payload also selects `success`. */
export function mutation<const Declared extends Declarations, Shape extends z.ZodRawShape>(
  name: string,
  declarations: Declared,
  shape: Shape,
) {
  return documentOf<Variables<Declared>, Shape>('mutation', name, declarations, shape)
}

export function documentOf<Sent extends object, Shape extends z.ZodRawShape>(
  kind: 'query' | 'mutation',
  name: string,
  declarations: Declarations,
  shape: Shape,
): Document<Sent, z.ZodObject<Shape>> {
  const data = z.object(shape)
  const without = (unknown: readonly UnknownField[]) => {
    const type = kind === 'query' ? 'Query' : 'Mutation'
    const fragments = new Set<string>()
    const selection = selectionOf(data, { unknown, fragments, type, inMembers: kind === 'mutation' ? ['success'] : [] })
    const isUsed = (variable: string) => new RegExp(`\\$${variable}\\b`).test(selection)
    const conditions = Object.keys(declarations).filter((variable) => isUsed(conditionOf(variable)))
    const types = { ...declarations, ...Object.fromEntries(conditions.map((variable) => [conditionOf(variable), 'Boolean!'])) }
    const list = Object.entries(types).flatMap(([variable, type]) => (isUsed(variable) ? [`$${variable}: ${type}`] : []))
    return { text: [`${kind} ${name}${list.length > 0 ? `(${list.join(', ')})` : ''} ${selection}`, ...fragments].join(' '), conditions }
  }
  return { name, data, declarations, without, ...without([]) }
}

/** The name of the variable that is true if a variable is present: `hasTeam` for `team`. */
export function conditionOf(variable: string): string {
  return `has${variable.charAt(0).toUpperCase()}${variable.slice(1)}`
}

/** Fields that have the same type in all documents, by type. */
const fieldsByType = {
  Issue: 'issue issues children relatedIssue',
  Project: 'project projects',
  Initiative: 'initiative initiatives parentInitiative',
  Team: 'team teams',
  User: 'user users viewer members assignee creator lead owner',
  Comment: 'comment comments',
  Cycle: 'cycle cycles activeCycle',
  IssueLabel: 'labels issueLabels',
  WorkflowState: 'state states workflowStates',
}
const typesByField = new Map(
  Object.entries(fieldsByType).flatMap(([type, fields]) => fields.split(' ').map((name) => [name, type] as const)),
)

interface Selecting {
  /** Fields that Linear does not know. */
  readonly unknown: readonly UnknownField[]
  /** Collects the selections of shared records. */
  readonly fragments: Set<string>
  /** Linear's type for the record, if the field implies it. */
  readonly type: string | undefined
  /** Additional fields to select in a record. */
  readonly first?: readonly string[]
  /** Additional fields to select in each of its members. */
  readonly inMembers?: readonly string[]
}

/** A record's selection. `has_more_labels` and `labels_end_cursor` come from the page info of the `labels` connection. */
function selectionOf(record: z.ZodObject, { unknown, fragments, type, first = [], inMembers = [] }: Selecting): string {
  const shape: z.core.$ZodShape = record.shape
  const fields = Object.entries(shape).flatMap(([name, member]) => {
    const connection = /^has_more_(\w+)$/.exec(name)?.[1] ?? /^(\w+)_end_cursor$/.exec(name)?.[1]
    return connection !== undefined && connection in shape
      ? []
      : fieldOf(name, member, { siblings: shape, unknown, fragments, type, first: inMembers })
  })
  return fields.length === 0 ? '' : `{ ${[...first, ...fields].join(' ')} }`
}

interface Surroundings extends Required<Pick<Selecting, 'unknown' | 'fragments' | 'type' | 'first'>> {
  readonly siblings: z.core.$ZodShape
}

function fieldOf(name: string, member: z.core.$ZodType, { siblings, unknown, fragments, type, first }: Surroundings): string[] {
  const { selection, record } = unwrap(member)
  const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  const text = selection.field ?? camel
  const vendorName = /^\w+/.exec(text)?.[0] ?? camel
  const own = record && selectionOf(record, { unknown, fragments, type: typesByField.get(vendorName), first })
  const members = own === undefined || selection.sharedType === undefined ? own : shareSelection(own, selection.sharedType, fragments)
  const isOptional = member instanceof z.ZodOptional || member instanceof z.ZodDefault
  if (members === '' || (isOptional && isUnknown(unknown, vendorName, selection.onType ?? type))) return []
  const field = vendorName === camel ? text : `${camel}: ${text}`
  const page = [`has_more_${name}` in siblings && 'hasNextPage', `${name}_end_cursor` in siblings && 'endCursor'].filter(
    (one) => one !== false,
  )
  const pageInfo = page.length === 0 ? '' : ` pageInfo { ${page.join(' ')} }`
  const whole = [field, selection.isConnection === true ? `{ nodes ${members ?? ''}${pageInfo} }` : members].join(' ').trim()
  return [selection.onType === undefined ? whole : `... on ${selection.onType} { ${whole} }`]
}

/** Stores a selection as a fragment, and returns the spread that replaces it. */
function shareSelection(selection: string, type: string, fragments: Set<string>): string {
  fragments.add(`fragment ${type}Members on ${type} ${selection}`)
  return `{ ...${type}Members }`
}

/** True for a field that Linear does not know on the given type. If either type is missing from our table, only the names are compared. */
function isUnknown(unknown: readonly UnknownField[], field: string, type: string | undefined): boolean {
  return unknown.some(
    (each) => each.field === field && (type === undefined || each.type === type || !Object.hasOwn(fieldsByType, each.type)),
  )
}

/** The object that a member holds, alone or in a list, and its selection. */
function unwrap(member: z.core.$ZodType): { readonly selection: Selection; readonly record: z.ZodObject | undefined } {
  let selection: Selection = {}
  let schema = member
  for (;;) {
    selection = { ...selections.get(schema), ...selection }
    if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) schema = schema.def.innerType
    else if (schema instanceof z.ZodArray) schema = schema.def.element
    else return { selection, record: schema instanceof z.ZodObject ? schema : undefined }
  }
}

/**
 * Converts a Linear response to the form that documents declare: names in snake_case, connections as plain lists next to `has_more_<name>`
 * and `<name>_end_cursor`, priorities in words, times to the second. A null becomes an undefined member, while a missing member stays
 * missing; in a partial response, nulls are dropped, because failed fields are also null.
 */
export function toRecord(value: unknown, isPartial = false): unknown {
  if (isList(value)) return value.filter((each) => each !== null).map((each) => toRecord(each, isPartial))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => (isPartial && member === null ? [] : toMembers(snakeCase(name), member, isPartial))),
  )
}

// `Array.isArray` alone makes the items `any`.
function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

function toMembers(name: string, value: unknown, isPartial: boolean): [string, unknown][] {
  // Until it serves a workspace, the embedded default has no pages, but Linear's type does not allow null.
  if (value === null || (name === 'url' && value === '')) return [[name, undefined]]
  if (name === 'priority' && typeof value === 'number') return [[name, priorities[value] ?? String(value)]]
  if (name.endsWith('_at') && typeof value === 'string') return [[name, value.replace(/\.\d+Z$/, 'Z')]]
  if (!isObject(value) || !Array.isArray(value['nodes'])) return [[name, toRecord(value, isPartial)]]
  const { pageInfo } = value
  const list: [string, unknown] = [name, toRecord(value['nodes'], isPartial)]
  if (!isObject(pageInfo)) return [list]
  const end: [string, unknown][] = typeof pageInfo['endCursor'] === 'string' ? [[`${name}_end_cursor`, pageInfo['endCursor']]] : []
  return [list, [`has_more_${name}`, pageInfo['hasNextPage'] === true], ...end]
}

export function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
}
