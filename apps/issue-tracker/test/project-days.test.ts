import { expect, test } from 'vitest'
import { projectNamed } from './project-calls.ts'
import { workspace, type Workspace } from './workspace.ts'

const [create, update] = ['IssueTracker.CreateProject', 'IssueTracker.UpdateProject']

test("compares a day with the project's other day, before the write if that is known", async () => {
  await using server = await workspace()
  const { id } = await projectOf(server, { name: 'Short', team: 'ENG', start_date: '2026-03-01', target_date: '2026-03-31' })
  const changes = server.emulator.store.mutations().length
  for (const [args, text] of [
    [{ start_date: '2026-04-01' }, 'is after "target_date" (2026-03-31, as the project has it)'],
    [{ target_date: '2026-02-01' }, '"start_date" (2026-03-01, as the project has it) is after'],
  ] as const) {
    expect((await server.fails(update, { project_id: 'Short', ...args })).message).toContain(text)
  }
  expect(server.emulator.store.mutations().length).toBe(changes)
  expect(await server.call(update, { project_id: 'Short', start_date: '2026-04-01', target_date: '2026-04-02' })).not.toHaveProperty(
    'notices',
  )
  expect(await server.call(update, { project_id: id, start_date: '2026-05-01' })).toMatchObject({
    notices: ['The project now starts (2026-05-01) after its target date (2026-04-02).'],
  })
  expect(await server.call(update, { project_id: id, name: 'Shorter' })).not.toHaveProperty('notices')
})

test('suggests swapping days in the wrong order, but proposes no change', async () => {
  await using server = await workspace()
  const days = { start_date: '2027-06-01', target_date: '2027-05-01' }
  for (const [tool, args] of [
    [create, { name: 'Short', team: 'ENG' }],
    [update, { project_id: 'Apollo' }],
  ] as const) {
    const error = await server.fails(tool, { ...args, ...days })
    expect(error.suggestions).toMatchObject([
      { value: '2027-05-01', parameter: 'start_date' },
      { value: '2027-06-01', parameter: 'target_date' },
    ])
    expect(error).not.toHaveProperty('next')
  }
})

async function projectOf(server: Workspace, args: Record<string, unknown>): Promise<{ readonly id: string }> {
  await server.call(create, args)
  return { id: String(projectNamed(server, String(args['name']))['id']) }
}
