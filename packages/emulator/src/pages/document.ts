import { html, raw } from 'hono/html'
import { style } from './style.ts'

/** A piece of a page. */
export type Html = ReturnType<typeof html>

/** As it is, because its policy counts every character. */
const styleElement = raw(`<style>${style}</style>`)

/** A whole page: a title that is also its heading, and what stands below it. No script, nothing from elsewhere. */
export function document(title: string, content: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${styleElement}
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html>`
}

/** The page that says why a person cannot go on here. */
export const problemPage = (title: string, problem: string): Html => document(title, html`<p role="alert">${problem}</p>`)
