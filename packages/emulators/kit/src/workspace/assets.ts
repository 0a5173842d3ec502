/**
 * Script of the pages: it listens for changes and then loads the page again, in place. It keeps the focus, open parts and scroll positions,
 * and marks new parts. Pages work without it.
 */
export const script = `const select = (page, selector) => page.querySelector(selector)
const status = () => select(document, '#status')
let source, loading = false, wanted = false

async function load() {
  wanted = true
  if (loading || document.hidden) return
  // A reload would lose a selection, which the person may be about to copy.
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

/** The style of the workspace: it follows the color scheme and fits a phone. */
export const style = `:root { color-scheme: light dark; font: 100%/1.5 system-ui, sans-serif;
  --paper: light-dark(#fff, #16181d); --raised: light-dark(#f6f7f9, #1f2229); --line: light-dark(#d5d9e0, #383d47);
  --ink: light-dark(#1b1f27, #e8eaee); --soft: light-dark(#535b69, #a9b1bf); --accent: light-dark(#0b57d0, #a8c7fa);
  --good: light-dark(#0a6b3d, #7fd8a6); --bad: light-dark(#a3221b, #f5b5ae); --fresh: light-dark(#fff3cd, #4a3d10) }
*, ::before { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink) }
a { color: var(--accent); text-underline-offset: .15em }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .2rem }
main:focus { outline: none }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .8rem; overflow-wrap: anywhere }
h2 { font-size: 1.1rem; margin: 1.5rem 0 .5rem }
h3 { font-size: 1rem; margin: 0 }
code { font: .9em/1.4 ui-monospace, monospace; background: var(--raised); border: 1px solid var(--line); border-radius: .3rem; padding: 0 .3em; overflow-wrap: anywhere }
pre { font: .85rem/1.5 ui-monospace, monospace; background: var(--raised); border: 1px solid var(--line); border-radius: .4rem; padding: .7rem; margin: .5rem 0; white-space: pre-wrap; overflow-wrap: anywhere }
pre code { border: 0; padding: 0; background: none }
time { color: var(--soft); font-size: .85rem; white-space: nowrap }
progress { width: 8rem; max-width: 100%; height: .7rem; accent-color: var(--accent); vertical-align: middle }
.skip { position: absolute; left: -100vw }
.skip:focus { left: .5rem; top: .5rem; background: var(--paper); padding: .5rem; z-index: 1 }
body > header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .3rem 1.5rem; padding: .7rem 1rem; border-bottom: 1px solid var(--line); background: var(--raised) }
body > header p { margin: 0 }
.brand span, .soft { color: var(--soft) }
nav { display: flex; flex-wrap: wrap; gap: .2rem .9rem }
nav a { padding: .3rem 0; color: var(--ink); text-decoration: none }
nav a:hover { text-decoration: underline }
nav a[aria-current] { font-weight: 600; box-shadow: inset 0 -.15rem var(--accent) }
#status { margin-left: auto; color: var(--soft); font-size: .9rem; overflow-wrap: anywhere }
#status::before { content: ""; display: inline-block; width: .6rem; height: .6rem; border-radius: 50%; margin-right: .4rem; background: var(--good) }
#status[data-state=lost]::before { background: var(--bad) }
main { padding: 1rem; max-width: 100rem; margin: auto }
footer { padding: 1rem; color: var(--soft); font-size: .9rem }
.button { display: inline-block; border: 1px solid var(--line); border-radius: .4rem; padding: .3rem .8rem; text-decoration: none }
.tabs { margin: 0 0 1rem }
.board { display: grid; grid-auto-flow: column; grid-auto-columns: minmax(15rem, 1fr); gap: .8rem; overflow-x: auto; padding: 3px 3px 1rem }
.board > section { background: var(--raised); border: 1px solid var(--line); border-radius: .6rem; padding: .6rem; min-width: 0 }
.board h2 { margin: 0 0 .5rem; font-size: 1rem }
.cards, .rows { list-style: none; margin: 0; padding: 0 }
.cards > li { background: var(--paper); border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .6rem; margin-bottom: .5rem; overflow-wrap: anywhere }
.cards a { color: inherit; text-decoration: none }
.cards a:hover { text-decoration: underline }
.cards p, .rows p { margin: 0; color: var(--soft); font-size: .85rem }
.rows > li { border-top: 1px solid var(--line); padding: .5rem 0; overflow-wrap: anywhere }
.rows > li:first-child { border-top: 0 }
.tree { margin: 0; padding-left: 1.2rem; list-style: none }
.tree > li { padding: .2rem 0; overflow-wrap: anywhere }
section > .tree, main > .tree { padding-left: 0 }
.changed { animation: changed 4s ease-out }
@keyframes changed { from { background: var(--fresh) } }
.split { display: grid; grid-template-columns: minmax(0, 1fr) 18rem; gap: 2rem }
.facts { margin: 0; font-size: .95rem }
.facts > div { display: grid; grid-template-columns: 7rem minmax(0, 1fr); gap: .5rem; padding: .25rem 0 }
.facts dt { color: var(--soft) }
.facts dd { margin: 0; overflow-wrap: anywhere }
.prose { white-space: pre-wrap; overflow-wrap: anywhere; max-width: 46rem }
.comment { border: 1px solid var(--line); border-radius: .6rem; padding: .6rem .8rem; margin: .6rem 0 }
.comment > p { margin: 0 0 .3rem }
.comment .comment { margin-left: 1rem }
.tag { display: inline-block; border: 1px solid var(--line); border-radius: 1rem; padding: 0 .5rem; font-size: .8rem; color: var(--ink); background: var(--paper) }
.good { color: var(--good) }
.bad { color: var(--bad) }
.wide { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-size: .95rem }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem .35rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere }
th { color: var(--soft); font-weight: 600 }
summary { cursor: pointer }
img.preview { max-width: 100%; height: auto; border: 1px solid var(--line) }
@media (max-width: 45rem) {
  .board { grid-auto-flow: row; grid-auto-columns: auto; overflow: visible }
  .split { grid-template-columns: minmax(0, 1fr); gap: 0 }
  #status { margin-left: 0; width: 100% }
}
@media (prefers-reduced-motion: reduce) { .changed { animation: none; outline: 1px solid var(--accent) } }
`
