import { expect, test } from 'vitest'
import { withLineBreaks } from '../src/tools/long-text.ts'
import { textWith } from './matching.ts'

test.for([
  ['First\\nSecond', 'First\nSecond'],
  ['first\\n\\nsecond', 'first\n\nsecond'],
  ['Steps:\\r\\nopen\\nclose', 'Steps:\nopen\nclose'],
  ['```sh\\nls\\n```\\nDone', '```sh\nls\n```\nDone'],
  ['"Hello"\\n"World"', '"Hello"\n"World"'],
  ['costs $5\\nand $6', 'costs $5\nand $6'],
  ['a `\\n` stays\\nhere', 'a `\\n` stays\nhere'],
  ['see C:\\new\\notes\\x and\\nmore', 'see C:\\new\\notes\\x and\nmore'],
] as const)('fixes the line breaks in %j', ([text, fixed]) => {
  expect(withLineBreaks(text)).toEqual({ text: fixed, notice: textWith('turned into a line break') })
})

test.for([
  '$\\nabla f \\neq 0$',
  '$$\\nabla \\cdot E$$',
  'C:\\new\\notes',
  '\\\\server\\notes',
  'a `\\n` in code',
  'grep "a\\nb"',
  'a real\nbreak and \\n',
  'nothing',
])('leaves %j as it is', (text) => {
  expect(withLineBreaks(text)).toEqual({ text })
})
