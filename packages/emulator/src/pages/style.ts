import { createHash } from 'node:crypto'

/** The style of all pages: it follows the person's colours, and fits a narrow window. */
export const style = `:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; --line: color-mix(in srgb, currentcolor 30%, transparent);
  --accent: light-dark(#0b57d0, #a8c7fa); --on-accent: light-dark(#fff, #062e6f) }
html { scroll-padding-bottom: 5rem }
body { margin: 0 auto; max-width: 80rem; padding: 1rem }
body:not(:has(table)) { max-width: 48rem }
h1 { font-size: 1.6rem; line-height: 1.25; overflow-wrap: break-word }
p, li { overflow-wrap: break-word }
.whole { white-space: nowrap }
.wide { overflow-x: auto }
table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid var(--line); padding: .3rem .6rem; text-align: left; vertical-align: top }
td { overflow-wrap: anywhere; min-width: 4rem }
button, input { font: inherit }
button { border: 1px solid currentcolor; border-radius: .4rem; background: transparent; color: var(--accent); padding: .4rem .9rem; min-height: 2.5rem; cursor: pointer }
button:hover { background: color-mix(in srgb, var(--accent) 12%, transparent) }
button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600 }
button.main:hover { background: color-mix(in srgb, var(--accent) 85%, currentcolor) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
input[type=search] { border: 1px solid currentcolor; border-radius: .4rem; background: transparent; color: inherit; padding: .4rem .6rem; min-height: 2.5rem; box-sizing: border-box; flex: 1 1 12rem; min-width: 0 }
input[type=file] { max-width: 100% }
input[type=checkbox], input[type=radio] { width: 1.5rem; height: 1.5rem; accent-color: var(--accent); flex: none; margin: 0 }
fieldset { border: 1px solid var(--line); border-radius: .6rem; margin: 1rem 0; padding: .5rem 1rem; min-width: 0 }
legend { font-weight: 600; padding: 0 .4rem; overflow-wrap: anywhere }
[role=alert], [role=status] { border-left: .3rem solid var(--accent); padding: .5rem .8rem; background: color-mix(in srgb, currentcolor 8%, transparent) }
[role=alert] { border-color: light-dark(#b3261e, #f2b8b5) }
.plain { list-style: none; margin: 0; padding: 0 }
.row { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: .8rem 0 }
.last { position: sticky; bottom: 0; background: canvas; border-top: 1px solid var(--line); padding: .8rem 0; margin: 0 }
.path li { display: flex; align-items: center; gap: .5rem }
.path li + li::before { content: "/" / "" }
.items li { display: flex; align-items: center; gap: .8rem; padding: .35rem 0; border-top: 1px solid var(--line) }
.items li:first-child { border-top: 0 }
.items label, .items li > span { flex: 1; min-width: 0; overflow-wrap: anywhere; padding: .3rem 0 }
.items small { display: block; color: color-mix(in srgb, currentcolor 75%, transparent) }
`

/** By what the policy of a page knows its style, which stands in it: a page is one answer, whole even when its listener closes. */
export const styleSource = `'sha256-${createHash('sha256').update(style).digest('base64')}'`
