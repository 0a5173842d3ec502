import { timeText } from './elements.tsx'

/**
 * The pages' script: after each change, it reloads the page in place. It keeps the focus, open parts, scroll positions and typed text,
 * highlights new parts, and updates times. Pages work without it.
 */
export const script = `const timeText = ${timeText.toString()}
const select = (page, selector) => page.querySelector(selector)
const status = () => select(document, '#status')
let source, loading = false, wanted = false

async function load() {
  wanted = true
  if (loading || document.hidden) return
  // Reloading would lose a selection, which the person may be about to copy.
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
    if (each.form && before) each.value = before.value
    if (each.dataset.version !== before?.dataset.version) each.classList.add('changed')
  }
  const caret = focused?.selectionStart
  main.replaceChildren(...next.childNodes)
  for (const [id, left] of scrolls) document.getElementById(id)?.scrollTo({ left })
  if (key) {
    const same = document.getElementById(key) ?? [...main.querySelectorAll('a[href]')].find((each) => each.getAttribute('href') === key)
    const target = same?.tagName === 'DETAILS' ? select(same, 'summary') : same
    target?.focus({ preventScroll: true })
    if (typeof caret === 'number') target?.setSelectionRange(caret, caret)
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

// Browsers allow few connections to one address, so only a visible page has one.
document.addEventListener('visibilitychange', () => {
  source?.close()
  if (!document.hidden) listen()
})
setInterval(() => {
  for (const each of document.querySelectorAll('time')) {
    const text = timeText(each.dateTime, Date.now())
    if (each.textContent !== text) each.textContent = text
  }
}, 5_000)
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.form || event.ctrlKey || event.metaKey || event.altKey) return
  const field = select(document, 'input[type=search]')
  if (field) event.preventDefault()
  field?.focus()
})
document.addEventListener('selectionchange', () => {
  if (wanted && getSelection()?.type !== 'Range') load()
})
if (!document.hidden) listen()
`

/** The workspace's style: it follows the color scheme and fits a phone. */
export const style = `:root { color-scheme: light dark; font: 87.5%/1.5 system-ui, sans-serif;
  --paper: light-dark(#fff, #16181d); --raised: light-dark(#f6f7f9, #1f2229); --line: light-dark(#d5d9e0, #383d47);
  --ink: light-dark(#1b1f27, #e8eaee); --soft: light-dark(#535b69, #a9b1bf); --accent: light-dark(#0b57d0, #a8c7fa);
  --good: light-dark(#0a6b3d, #7fd8a6); --bad: light-dark(#a3221b, #f5b5ae); --fresh: light-dark(#fff3cd, #4a3d10);
  --urgent: light-dark(#b23c0e, #ff9a6b) }
*, ::before { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink) }
a { color: var(--accent); text-underline-offset: .15em }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .2rem }
main:focus { outline: none }
h1 { font-size: 1.35rem; line-height: 1.25; margin: 0 0 .7rem; overflow-wrap: anywhere }
h2 { font-size: 1.05rem; margin: 1.2rem 0 .4rem }
h3, h4, h5, h6 { font-size: 1rem; margin: 1rem 0 .3rem }
code { font: .9em/1.4 ui-monospace, monospace; background: var(--raised); border: 1px solid var(--line); border-radius: .3rem; padding: 0 .3em; overflow-wrap: anywhere }
pre { font: .9rem/1.5 ui-monospace, monospace; background: var(--raised); border: 1px solid var(--line); border-radius: .4rem; padding: .6rem; margin: .4rem 0; white-space: pre-wrap; overflow-wrap: anywhere }
pre[tabindex] { max-height: 40rem; overflow-y: auto }
pre code { border: 0; padding: 0; background: none }
time { color: var(--soft); font-size: .93em; white-space: nowrap }
progress { width: 8rem; max-width: 100%; height: .7rem; accent-color: var(--accent); vertical-align: middle }
hr { border: 0; border-top: 1px solid var(--line); margin: 1rem 0 }
blockquote { margin: .5rem 0; padding-left: .8rem; border-left: 3px solid var(--line); color: var(--soft) }
.skip { position: absolute; left: -100vw }
.skip:focus { left: .5rem; top: .5rem; background: var(--paper); padding: .5rem; z-index: 1 }
body > header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .2rem 1.5rem; padding: .5rem 1rem; border-bottom: 1px solid var(--line); background: var(--raised) }
body > header p { margin: 0 }
.brand span, .soft { color: var(--soft) }
.brand > a:first-child { font-weight: 700; color: var(--ink); text-decoration: none }
nav { display: flex; flex-wrap: wrap; gap: .2rem .9rem }
nav a { padding: .25rem 0; color: var(--ink); text-decoration: none }
nav a:hover { text-decoration: underline }
nav a[aria-current] { font-weight: 600; box-shadow: inset 0 -.15rem var(--accent) }
.path { gap: .2rem .4rem; margin-bottom: .6rem }
.path a { color: var(--accent) }
.path > span { padding: .25rem 0; color: var(--soft) }
#status { margin-left: auto; color: var(--soft); overflow-wrap: anywhere }
#status::before { content: ""; display: inline-block; width: .6rem; height: .6rem; border-radius: 50%; margin-right: .4rem; background: var(--good) }
#status[data-state=lost]::before { background: var(--bad) }
main { padding: .8rem 1rem; max-width: 100rem; margin: auto }
footer { padding: 1rem; color: var(--soft) }
.button, button { display: inline-block; font: inherit; border: 1px solid var(--line); border-radius: .4rem; padding: .25rem .8rem; text-decoration: none; background: var(--paper); color: var(--accent); cursor: pointer }
button.danger { background: var(--bad); border-color: var(--bad); color: var(--paper); font-weight: 600 }
.filters { display: flex; flex-wrap: wrap; gap: .4rem; align-items: center; margin: 0 0 .8rem }
.filters input, .filters select { font: inherit; border: 1px solid var(--line); border-radius: .4rem; padding: .25rem .5rem; background: var(--paper); color: var(--ink); min-width: 0; max-width: 12rem }
.filters input { flex: 0 1 18rem; max-width: none }
.tabs { margin: 0 0 .8rem }
.board { display: grid; grid-auto-flow: column; grid-auto-columns: minmax(11.5rem, 1fr); gap: .5rem; overflow-x: auto; padding: 3px 3px 1rem; scrollbar-width: thin }
.board > section { background: var(--raised); border: 1px solid var(--line); border-radius: .6rem; padding: .5rem; min-width: 0 }
.board h2 { margin: 0 0 .4rem; font-size: 1rem }
.cards, .rows { list-style: none; margin: 0; padding: 0 }
.cards > li { background: var(--paper); border: 1px solid var(--line); border-radius: .4rem; padding: .35rem .5rem; margin-bottom: .35rem; overflow-wrap: anywhere; font-size: .93rem; line-height: 1.4 }
.cards a, .rows .title { color: inherit; text-decoration: none }
.cards a:hover, .rows .title:hover { text-decoration: underline }
.cards p, .rows p { margin: 0; color: var(--soft); font-size: .93em }
.rows > li { border-top: 1px solid var(--line); padding: .35rem 0; overflow-wrap: anywhere }
.rows > li:first-child { border-top: 0 }
.changed { animation: changed 4s ease-out }
@keyframes changed { from { background: var(--fresh) } }
.split { display: grid; grid-template-columns: minmax(0, 1fr) 18rem; gap: 2rem }
.facts { margin: 0 }
.facts > div { display: grid; grid-template-columns: 7rem minmax(0, 1fr); gap: .5rem; padding: .2rem 0 }
.parameters > div { grid-template-columns: 14rem minmax(0, 1fr); padding: 0 }
.facts dt { color: var(--soft); overflow-wrap: anywhere }
.facts dd { margin: 0; overflow-wrap: anywhere }
.prose { overflow-wrap: anywhere; max-width: 46rem }
.prose p { white-space: pre-line; margin: .4rem 0 }
.prose ul, .prose ol { margin: .3rem 0; padding-left: 1.4rem }
.comment { border: 1px solid var(--line); border-radius: .6rem; padding: .5rem .8rem; margin: .5rem 0 }
.comment > p { margin: 0 0 .2rem }
.comment .comment { margin-left: 1rem }
.tag { display: inline-block; border: 1px solid var(--line); border-radius: 1rem; padding: 0 .45rem; font-size: .86rem; color: var(--ink); background: var(--paper) }
.cards .tag, .rows .tag { font-size: .8rem; padding: 0 .35rem }
.whole { white-space: nowrap }
.good { color: var(--good) }
.bad { color: var(--bad) }
.icon { width: 1em; height: 1em; vertical-align: -.12em; fill: currentcolor; flex: none }
.icon.urgent { color: var(--urgent) }
.person { white-space: nowrap }
.person bdi { white-space: normal }
.avatar { display: inline-block; width: 2em; line-height: 2em; margin-right: .4em; border-radius: 50%; text-align: center; font-size: .62em; font-weight: 600; vertical-align: .12em; color: light-dark(#fff, #16181d) }
.hue0 { background: light-dark(#0b57d0, #a8c7fa) } .hue1 { background: light-dark(#0a6b3d, #7fd8a6) } .hue2 { background: light-dark(#8a3ffc, #d4bbff) }
.hue3 { background: light-dark(#a3221b, #f5b5ae) } .hue4 { background: light-dark(#7a5200, #f2c46b) } .hue5 { background: light-dark(#00677a, #7ed3e6) }
summary { cursor: pointer }
summary .line { display: inline-block; max-width: min(60ch, 100%); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; vertical-align: bottom }
.wide { overflow-x: auto }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; min-width: 4rem }
th { color: var(--soft); font-weight: 600; white-space: nowrap }
td .icon { color: var(--soft) }
td.inner { padding-left: 1.5rem }
img.preview { max-width: 100%; height: auto; border: 1px solid var(--line) }
@media (max-width: 45rem) {
  .board { grid-auto-flow: row; grid-auto-columns: auto; overflow: visible }
  .split { grid-template-columns: minmax(0, 1fr); gap: 0 }
  .narrow { display: none }
  .parameters > div { grid-template-columns: 7rem minmax(0, 1fr) }
  #status { margin-left: 0; width: 100% }
}
@media (prefers-reduced-motion: reduce) { .changed { animation: none; outline: 1px solid var(--accent) } }
`
