import { Kind, parse, type DocumentNode, type FieldNode, type SelectionSetNode } from 'graphql'

/** Field arguments and variables that multiply a connection. */
export type Variables = Readonly<Record<string, unknown>>

/**
 * The points that Linear charges for a document: a scalar 0.1, an object 1, a connection its children times its `first` (50 when it
 * has none). https://linear.app/developers/rate-limiting#complexity
 */
export function complexityOf(text: string, variables: Variables): number {
  const document = parse(text)
  const [operation] = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
  return Math.ceil(operation ? selectionCost(operation.selectionSet, document, variables) : 0)
}

function selectionCost(set: SelectionSetNode, document: DocumentNode, variables: Variables): number {
  return set.selections.reduce((sum, selection) => {
    if (selection.kind === Kind.FIELD) return sum + fieldCost(selection, document, variables)
    if (selection.kind === Kind.INLINE_FRAGMENT) return sum + selectionCost(selection.selectionSet, document, variables)
    const fragment = document.definitions.find((each) => each.kind === Kind.FRAGMENT_DEFINITION && each.name.value === selection.name.value)
    return sum + (fragment?.kind === Kind.FRAGMENT_DEFINITION ? selectionCost(fragment.selectionSet, document, variables) : 0)
  }, 0)
}

function fieldCost(field: FieldNode, document: DocumentNode, variables: Variables): number {
  if (!field.selectionSet) return 0.1
  const inner = selectionCost(field.selectionSet, document, variables)
  return isConnection(field.selectionSet) ? inner * firstOf(field, variables) : 1 + inner
}

function isConnection(set: SelectionSetNode): boolean {
  return set.selections.some((each) => each.kind === Kind.FIELD && ['nodes', 'edges'].includes(each.name.value))
}

function firstOf(field: FieldNode, variables: Variables): number {
  const first = field.arguments?.find(({ name }) => name.value === 'first')?.value
  if (first?.kind === Kind.INT) return Number(first.value)
  if (first?.kind === Kind.VARIABLE) return Number(variables[first.name.value] ?? 50)
  return 50
}

/** Paths of connections that have no limit of their own. */
export function unbounded(text: string): string[] {
  const found: string[] = []
  const visit = (set: SelectionSetNode) => {
    for (const selection of set.selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD || !selection.selectionSet) continue
      const bound = selection.kind === Kind.FIELD && selection.arguments?.some(({ name }) => name.value === 'first')
      if (selection.kind === Kind.FIELD && isConnection(selection.selectionSet) && bound !== true) found.push(selection.name.value)
      visit(selection.selectionSet)
    }
  }
  for (const definition of parse(text).definitions) if ('selectionSet' in definition) visit(definition.selectionSet)
  return found
}
