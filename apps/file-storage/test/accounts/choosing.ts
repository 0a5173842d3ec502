import { fetchPage } from '@mcp-toolkits/testing'

/** Presses a button of the emulator's picker, with some items ticked and perhaps a file to upload; returns the browser's response. */
export async function press(url: string, button: string, { ticked = [], file }: { ticked?: readonly string[]; file?: File } = {}) {
  const { body } = await fetchPage(url)
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(body)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const form = new FormData()
  for (const name of ['ticket', 'place']) form.set(name, field(name))
  for (const id of ticked) form.append('chosen', id)
  form.set('do', button)
  form.set('find', '')
  form.set('file', file ?? new File([], ''))
  return fetchPage(url, { method: 'POST', body: form, headers: { origin: new URL(url).origin } })
}
