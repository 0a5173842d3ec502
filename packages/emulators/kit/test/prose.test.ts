import { expect, it } from 'vitest'
import { Prose, SheetTable } from '../src/workspace/index.ts'

const rendered = async (text: string) => (await Prose({ text })).toString().replace(/^<div class="prose" dir="auto">|<\/div>$/g, '')

it.each([
  ['# One\n\n### Two\ntext', '<h2>One</h2><h3>Two</h3><p>text</p>'],
  ['a **b** _c_ `d <e>` ~~f~~', '<p>a <strong>b</strong> <em>c</em> <code>d &lt;e&gt;</code> <s>f</s></p>'],
  ['- one\n  - two\n- [x] three', '<ul><li>one<ul><li>two</li></ul></li><li><span>☑ </span>three</li></ul>'],
  ['3. three\n4. four', '<ol start="3"><li>three</li><li>four</li></ol>'],
  ['> quoted\n> more\n\nnot', '<blockquote><p>quoted\nmore</p></blockquote><p>not</p>'],
  ['```js\n<b>*x*\n```\nafter', '<pre tabindex="0"><code>&lt;b&gt;*x*</code></pre><p>after</p>'],
  ['snake_case_name 2 * 3 * 4', '<p>snake_case_name 2 * 3 * 4</p>'],
  ['---', '<hr/>'],
  ['[x](javascript:alert)', '<p><span dir="auto">x</span></p>'],
  ['<img src=x onerror=y>', '<p>&lt;img src=x onerror=y&gt;</p>'],
])('shows %j', async (text, html) => {
  expect(await rendered(text)).toBe(html)
})

it('shows links to the web, also those without marks, and pictures as links', async () => {
  const html = await rendered('[a](https://a.example/x) ![b](https://b.example/y.png) https://c.example/z.')
  expect(html.match(/href="[^"]*"/g)).toEqual([
    'href="https://a.example/x"',
    'href="https://b.example/y.png"',
    'href="https://c.example/z"',
  ])
  expect(html).not.toContain('<img')
})

it('shows tables', async () => {
  expect(await rendered('| a | |\n|---|:-:|\n| 1 | **2** |')).toMatch(
    /<th scope="col">a<\/th><td><\/td>.*<td>1<\/td><td><strong>2<\/strong><\/td>/,
  )
  const sheet = (await SheetTable({ text: 'name,note\n"a ""b""","x,\ny"\n<i>,2' })).toString()
  expect(sheet).toMatch(/<th scope="col">name<\/th>.*<td>a &quot;b&quot;<\/td><td>x,\ny<\/td>.*<td>&lt;i&gt;<\/td><td>2<\/td>/s)
})

it.each(['*', '_', '`', '[', '>', '- ', '#', '|', '~~', '](', '  - '])('takes no longer for a text of nothing but %j', async (mark) => {
  const started = performance.now()
  await rendered(mark.repeat(45_000 / mark.length))
  await rendered(`${mark.repeat(600)}\n`.repeat(60))
  expect(performance.now() - started).toBeLessThan(5_000)
})
