/** A stored colour for an icon's attribute; the text's colour if it is invalid. */
const hueOf = (color: string) => (/^#[\da-f]{3,8}$/i.test(color) ? color : 'currentcolor')

export interface StateProps {
  readonly type: string
  readonly color: string
}

/** A workflow state's icon; its name is next to it. */
export function StateIcon({ type, color }: StateProps) {
  const hue = hueOf(color)
  const isClosed = ['completed', 'canceled', 'duplicate'].includes(type)
  const isWaiting = type === 'triage' || type === 'backlog'
  const mark = type === 'completed' ? 'M5 8l2 2 4-4' : 'M5.8 5.8l4.4 4.4m0-4.4l-4.4 4.4'
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <circle
        cx="8"
        cy="8"
        r="6"
        fill={isClosed ? hue : 'none'}
        stroke={hue}
        stroke-width="2"
        {...(isWaiting && { 'stroke-dasharray': '3 2' })}
      />
      {type === 'started' && <path d="M8 4.8a3.2 3.2 0 0 1 0 6.4z" fill={hue} />}
      {isClosed && <path d={mark} fill="none" stroke="#fff" stroke-width="1.8" />}
    </svg>
  )
}

/** A priority's icon; empty for no priority. */
export function PriorityIcon({ priority, label }: { readonly priority: number; readonly label: string }) {
  if (priority === 0) return null
  return (
    <svg class={priority === 1 ? 'icon urgent' : 'icon'} viewBox="0 0 16 16" role="img" aria-label={`Priority: ${label}`}>
      {priority === 1 ? (
        <path fill-rule="evenodd" d="M3 1h10a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H3a2 2 0 0 1-2-2V3a2 2 0 0 1 2-2zm4 3v5h2V4zm0 6v2h2v-2z" />
      ) : (
        [1, 2, 3].map((bar) => (
          <rect x={bar * 5 - 4} y={12 - bar * 3} width="3" height={bar * 3 + 2} opacity={bar <= 5 - priority ? 1 : 0.3} />
        ))
      )}
    </svg>
  )
}

/** A label with a dot in its colour. */
export function Label({ name, color }: { readonly name: string; readonly color: string }) {
  return (
    <span class="tag">
      <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
        <circle cx="8" cy="8" r="4" fill={hueOf(color)} />
      </svg>{' '}
      {name}
    </span>
  )
}
