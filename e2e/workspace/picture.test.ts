import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../command.ts'
import { type Board, picture, workAtBoard } from './agent-at-work.ts'
import { framesOf } from './film.ts'

test('the picture of the README shows what the agent does today, on the pages of today', async () => {
  const boards: Board[] = []
  await workAtBoard(await temporaryDirectory(), (board) => {
    boards.push(board)
    return Promise.resolve()
  })
  expect(new Set(boards.map(({ digest }) => digest)).size).toBe(boards.length)
  const shown = framesOf(await readFile(picture, 'utf8'))
  expect(shown, 'The picture is of an earlier state: take it again with npm run screenshots.').toEqual(boards)
})
