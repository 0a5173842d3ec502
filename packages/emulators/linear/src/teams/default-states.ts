export interface StateSeed {
  readonly name: string
  readonly type: string
  readonly color?: string | undefined
}

const defaultStates: readonly StateSeed[] = [
  { name: 'Backlog', type: 'backlog', color: '#bec2c8' },
  { name: 'Todo', type: 'unstarted', color: '#e2e2e2' },
  { name: 'In Progress', type: 'started', color: '#f2c94c' },
  { name: 'In Review', type: 'started', color: '#0f783c' },
  { name: 'Done', type: 'completed', color: '#5e6ad2' },
  { name: 'Canceled', type: 'canceled', color: '#95a2b3' },
  { name: 'Duplicate', type: 'duplicate', color: '#95a2b3' },
]

/** A team's states: its own or the default ones, with one for triage if needed. */
export function statesOf({
  states = defaultStates,
  triageEnabled = false,
}: {
  readonly states?: readonly StateSeed[] | undefined
  readonly triageEnabled?: boolean
}): readonly StateSeed[] {
  if (!triageEnabled || states.some(({ type }) => type === 'triage')) return states
  return [{ name: 'Triage', type: 'triage', color: '#fc7840' }, ...states]
}
