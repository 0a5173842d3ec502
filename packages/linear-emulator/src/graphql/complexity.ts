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

/** The maximum for one operation: https://linear.app/developers/rate-limiting. */
export const maximumComplexity = 10_000

const defaultPageSize = 50

/** An operation and everything that its cost depends on. */
interface CostContext {
  readonly schema: GraphQLSchema
  readonly operation: OperationDefinitionNode
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly variables: VariableValues
  /** The cost of each fragment that was met, because fragments that spread others twice would otherwise take exponential time. */
  readonly fragmentCosts: Map<FragmentDefinitionNode, number>
}

// In tenths of a point, so that sums are exact.
const scalarCost = 1
const objectCost = 10

/** The points of an operation, not rounded: 0.1 for a scalar, 1 for an object; a connection multiplies its children. */
export function complexityOf(operation: Omit<CostContext, 'fragmentCosts'>): number {
  const context: CostContext = { ...operation, fragmentCosts: new Map() }
  const root = context.schema.getRootType(context.operation.operation)
  return root ? costOfSet(context, context.operation.selectionSet, root) / 10 : 0
}

function costOfSet(context: CostContext, { selections }: SelectionSetNode, parent: GraphQLNamedType): number {
  return selections
    .filter((selection) => isIncluded(selection, context))
    .reduce((sum, selection) => sum + costOf(context, selection, parent), 0)
}

function costOf(context: CostContext, selection: SelectionNode, parent: GraphQLNamedType): number {
  if (selection.kind === Kind.INLINE_FRAGMENT) {
    const name = selection.typeCondition?.name.value
    return costOfSet(context, selection.selectionSet, (name === undefined ? undefined : context.schema.getType(name)) ?? parent)
  }
  if (selection.kind === Kind.FRAGMENT_SPREAD) {
    const fragment = context.fragments.get(selection.name.value)
    return fragment ? costOfFragment(context, fragment) : 0
  }
  if (!isCompositeType(parent)) return 0
  const field = context.schema.getField(parent, selection.name.value)
  const type = field && getNamedType(field.type)
  if (!type || isLeafType(type) || selection.selectionSet === undefined) return scalarCost
  const inside = costOfSet(context, selection.selectionSet, type)
  return type.name.endsWith('Connection') ? inside * pageSize(context, selection) : objectCost + inside
}

function costOfFragment(context: CostContext, fragment: FragmentDefinitionNode): number {
  const known = context.fragmentCosts.get(fragment)
  if (known !== undefined) return known
  const type = context.schema.getType(fragment.typeCondition.name.value)
  const cost = type ? costOfSet(context, fragment.selectionSet, type) : 0
  context.fragmentCosts.set(fragment, cost)
  return cost
}

function pageSize({ variables }: CostContext, selection: SelectionNode): number {
  if (selection.kind !== Kind.FIELD) return defaultPageSize
  for (const { name, value } of selection.arguments ?? []) {
    if (name.value !== 'first' && name.value !== 'last') continue
    const size =
      value.kind === Kind.INT ? Number(value.value) : value.kind === Kind.VARIABLE ? variables.coerced[value.name.value] : undefined
    if (typeof size === 'number') return Math.max(size, 0)
  }
  return defaultPageSize
}

function isIncluded(selection: SelectionNode, { variables }: CostContext): boolean {
  const skip = getDirectiveValues(GraphQLSkipDirective, selection, variables)
  const include = getDirectiveValues(GraphQLIncludeDirective, selection, variables)
  return skip?.['if'] !== true && include?.['if'] !== false
}
