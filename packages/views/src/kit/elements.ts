type Child = Node | string | false | undefined
type Handler = (event: Event) => unknown
type Properties = Readonly<Record<string, string | boolean | Handler | undefined>>

/** Makes an element. Strings become text, never markup: most were written by strangers. */
export function h<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Properties = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(properties)) {
    if (typeof value === 'function') element.addEventListener(key, (event) => void value(event))
    else if (value !== undefined && value !== false) element.setAttribute(key, value === true ? '' : value)
  }
  element.append(...children.filter((child) => child !== false && child !== undefined))
  return element
}

/** Text in a subdued colour. */
export const dim = (...children: readonly Child[]): HTMLElement => h('span', { class: 'dim' }, ...children)

/** Listeners for text that the page follows as it is typed. Redrawing would end an input method's composition. */
export function typing(take: (text: string) => void): Properties {
  const listener: Handler = (event) => {
    if (event.target instanceof HTMLInputElement && !(event instanceof InputEvent && event.isComposing)) take(event.target.value)
  }
  return { input: listener, compositionend: listener }
}

/** A list from which to choose one option. It always includes the current choice. */
export function select(label: string, texts: readonly string[], chosen: string, choose: (text: string) => unknown): HTMLElement {
  const all = texts.includes(chosen) ? texts : [chosen, ...texts]
  const options = all.map((text) => h('option', { value: text, selected: text === chosen }, text || 'None'))
  const change = ({ target }: Event) => target instanceof HTMLSelectElement && choose(target.value)
  return h('label', {}, h('span', {}, label), h('select', { change, 'data-key': label }, ...options))
}

/** Shows the page. The element with the same `data-key` as before keeps the focus and the caret's position. */
export function show(...children: readonly Child[]): void {
  const before = document.activeElement
  const key = before?.getAttribute('data-key') ?? ''
  const caret = before instanceof HTMLInputElement ? before.selectionStart : null
  const places = new Map(
    [...document.querySelectorAll('[data-scroll]')].map((each) => [
      each.getAttribute('data-scroll'),
      [each.scrollLeft, each.scrollTop] as const,
    ]),
  )
  document.querySelector('main')?.replaceChildren(...children.filter((child) => child !== false && child !== undefined))
  for (const each of document.querySelectorAll('[data-scroll]')) {
    const place = places.get(each.getAttribute('data-scroll'))
    if (place) each.scrollTo(...place)
  }
  const after = key === '' ? null : document.querySelector(`[data-key="${CSS.escape(key)}"]`)
  if (after instanceof HTMLElement) after.focus({ preventScroll: true })
  if (after instanceof HTMLInputElement && caret !== null) after.setSelectionRange(caret, caret)
}
