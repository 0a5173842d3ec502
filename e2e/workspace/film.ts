// An animated picture from screenshots: frames in one SVG that a style sheet shows one after the other, with a line of text for each.

export interface Frame {
  readonly jpeg: Buffer
  /** Action of the agent, shown below the picture. */
  readonly caption: string
  /** Digest of the picture's content, which a test compares with the present state. */
  readonly digest: string
}

export interface FilmOptions {
  readonly width: number
  readonly height: number
  readonly secondsPerFrame: number
  readonly title: string
}

const captionHeight = 44

/** Viewers who prefer reduced motion see only the last frame. */
export function filmOf(frames: readonly Frame[], { width, height, secondsPerFrame, title }: FilmOptions): string {
  const share = 100 / frames.length
  const total = frames.length * secondsPerFrame
  const groups = frames.map(
    ({ jpeg, caption, digest }, index) =>
      `<g class="frame" data-digest="${digest}" style="animation-delay:${index * secondsPerFrame - total}s">` +
      `<image width="${width}" height="${height}" href="data:image/jpeg;base64,${jpeg.toString('base64')}"/>` +
      `<text x="20" y="${height + 28}">${escaped(caption)}</text></g>`,
  )
  const style = `
.frame{animation:show ${total}s steps(1,end) infinite;opacity:0}
@keyframes show{0%{opacity:1}${share}%{opacity:0}}
text{font:15px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#f0f6fc}
@media (prefers-reduced-motion:reduce){.frame{animation:none}.frame:last-of-type{opacity:1}}`
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height + captionHeight}" role="img" aria-label="${escaped(title)}">` +
    `<title>${escaped(title)}</title><style>${style}</style>` +
    `<rect width="${width}" height="${height + captionHeight}" rx="8" fill="#0d1117"/>${groups.join('')}</svg>\n`
  )
}

/** The frames of a film without their pictures. */
export function framesOf(film: string): Pick<Frame, 'caption' | 'digest'>[] {
  const frames = film.matchAll(/<g class="frame" data-digest="([^"]*)"[^>]*><image [^>]*><text [^>]*>([^<]*)</g)
  return [...frames].map(([, digest = '', caption = '']) => ({ caption: unescaped(caption), digest }))
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
const unescaped = (text: string) => text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&')
