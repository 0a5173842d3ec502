import { expect, test } from 'vitest'
import { startReplicatedServer } from '../src/people/replicated-server.ts'

test('replicas answer in turn, and a page that fails is answered with 500', async () => {
  let opened = 0
  const open = () => {
    const number = (opened += 1)
    const pages = () => (number === 2 ? Promise.reject(new Error('The second fails.')) : Promise.resolve(new Response(`page of ${number}`)))
    return Promise.resolve({ pages })
  }
  const { url } = await startReplicatedServer({ replicas: 2, people: {}, open })
  const answers = []
  for (let count = 0; count < 3; count += 1) {
    const response = await fetch(url)
    answers.push([response.status, await response.text()])
  }
  expect(answers).toEqual([
    [200, 'page of 1'],
    [500, 'Error: The second fails.'],
    [200, 'page of 1'],
  ])
})

test('a server without replicas is refused', async () => {
  const open = () => Promise.resolve({ pages: () => Promise.resolve(undefined) })
  await expect(startReplicatedServer({ replicas: 0, people: {}, open })).rejects.toThrow('`replicas` must be at least 1')
})
