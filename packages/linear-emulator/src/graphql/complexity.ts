import {
  getDirectiveValues,
  getNamedType,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  isCompositeType,
  isLeafType,
  Kind,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type VariableValues,
} from 'graphql'

/** The most points that one operation may cost: linear.md §3.1. */
export const maximumComplexity = 10_000

const usualPage = 50

/** An operation, with all that its cost depends on. */
export interface Costed {
  readonly schema: GraphQLSchema
  readonly operation: OperationDefinitionNode
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly variables: VariableValues
}

// In tenths of a point, which add up exactly.
const scalar = 1
const object = 10

/** The points that an operation costs, not rounded: 0.1 for a scalar, 1 for an object, and a connection multiplies what is in it. */
export function complexityOf(costed: Costed): number {
  const root = costed.schema.getRootType(costed.operation.operation)
  return root ? costOfSet(costed, costed.operation.selectionSet, root) / 10 : 0
}

function costOfSet(costed: Costed, { selections }: SelectionSetNode, parent: GraphQLNamedType): number {
  return selections
    .filter((selection) => isIncluded(selection, costed))
    .reduce((sum, selection) => sum + costOf(costed, selection, parent), 0)
}

function costOf(costed: Costed, selection: SelectionNode, parent: GraphQLNamedType): number {
  if (selection.kind === Kind.INLINE_FRAGMENT) {
    const name = selection.typeCondition?.name.value
    return costOfSet(costed, selection.selectionSet, (name === undefined ? undefined : costed.schema.getType(name)) ?? parent)
  }
  if (selection.kind === Kind.FRAGMENT_SPREAD) {
    const fragment = costed.fragments.get(selection.name.value)
    const type = fragment && costed.schema.getType(fragment.typeCondition.name.value)
    return fragment && type ? costOfSet(costed, fragment.selectionSet, type) : 0
  }
  if (!isCompositeType(parent)) return 0
  const field = costed.schema.getField(parent, selection.name.value)
  const type = field && getNamedType(field.type)
  if (!type || isLeafType(type) || selection.selectionSet === undefined) return scalar
  const inside = costOfSet(costed, selection.selectionSet, type)
  return type.name.endsWith('Connection') ? inside * pageSize(costed, selection) : object + inside
}

function pageSize({ variables }: Costed, selection: SelectionNode): number {
  if (selection.kind !== Kind.FIELD) return usualPage
  for (const { name, value } of selection.arguments ?? []) {
    if (name.value !== 'first' && name.value !== 'last') continue
    const size =
      value.kind === Kind.INT ? Number(value.value) : value.kind === Kind.VARIABLE ? variables.coerced[value.name.value] : undefined
    if (typeof size === 'number') return Math.max(size, 0)
  }
  return usualPage
}

function isIncluded(selection: SelectionNode, { variables }: Costed): boolean {
  const skip = getDirectiveValues(GraphQLSkipDirective, selection, variables)
  const include = getDirectiveValues(GraphQLIncludeDirective, selection, variables)
  return skip?.['if'] !== true && include?.['if'] !== false
}
