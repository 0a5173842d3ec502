/**
 * The script of the pages: it listens for changes and then loads the page again, in place. It keeps the focus, what is open and the scroll
 * positions, and marks what is new. Pages work without it.
 */
export const script = `const select = (page, selector) => page.querySelector(selector)
const status = () => select(document, '#status')
let source, loading = false, wanted = false

async function load() {
  wanted = true
  if (loading || document.hidden) return
  // What is selected, perhaps to be copied, would be lost.
  if (getSelection()?.type === 'Range') return
  loading = true
  while (wanted) {
    wanted = false
    try {
      const response = await fetch(location.href, { headers: { accept: 'text/html' } })
      if (response.ok) show(new DOMParser().parseFromString(await response.text(), 'text/html'))
    } catch {
      status().dataset.state = 'lost'
    }
  }
  loading = false
}

function show(page) {
  const main = select(document, 'main'), next = select(page, 'main')
  if (!main || !next) return
  const focused = main.contains(document.activeElement) ? document.activeElement : undefined
  const key = focused && (focused.id || focused.getAttribute('href') || focused.closest('[id]')?.id)
  const scrolls = [...main.querySelectorAll('[id]')].filter((each) => each.scrollLeft > 0).map(({ id, scrollLeft }) => [id, scrollLeft])
  for (const each of next.querySelectorAll('[id]')) {
    const before = document.getElementById(each.id)
    if (each.tagName === 'DETAILS' && before?.open) each.open = true
    if (each.dataset.version !== before?.dataset.version) each.classList.add('changed')
  }
  main.replaceChildren(...next.childNodes)
  for (const [id, left] of scrolls) document.getElementById(id)?.scrollTo({ left })
  if (key) {
    const same = document.getElementById(key) ?? [...main.querySelectorAll('a[href]')].find((each) => each.getAttribute('href') === key)
    const target = same?.tagName === 'DETAILS' ? select(same, 'summary') : same
    target?.focus({ preventScroll: true })
  }
  const line = select(page, '#status')
  status().replaceWith(line)
}

function listen() {
  source = new EventSource(status().dataset.updates)
  source.onopen = () => { status().dataset.state = 'live' }
  source.onerror = () => { status().dataset.state = 'lost' }
  source.onmessage = ({ data }) => {
    if (data !== status().dataset.revision) load()
  }
}

// A browser allows few connections to one address, so only a page that is seen has one.
document.addEventListener('visibilitychange', () => {
  source?.close()
  if (!document.hidden) listen()
})
document.addEventListener('selectionchange', () => {
  if (wanted && getSelection()?.type !== 'Range') load()
})
if (!document.hidden) listen()
`
