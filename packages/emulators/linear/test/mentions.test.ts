import { expect, it } from 'vitest'
import { covers } from './emulator.ts'
import { openForMutations, user } from './mutations.ts'

const page = (place: string) => `https://linear.app/lodestar${place}`
const ada = page('/profiles/ada.okafor')

it(
  'reads plain addresses in texts as mentions and links, and nothing else',
  covers('texts/mentions', 'texts/mentions-read', 'texts/mention-place'),
  async () => {
    const { at } = openForMutations()
    const stored = async (body: string) =>
      at('commentCreate.comment.body', 'mutation($input: CommentCreateInput!) { commentCreate(input: $input) { comment { body } } }', {
        input: { issueId: 'ENG-1', body },
      })
    for (const [body, shown] of [
      [`${ada} please`, '@ada.okafor please'],
      [`Ask (${ada}), **${ada}**.`, 'Ask (@ada.okafor), **@ada.okafor**.'],
      [`See ${page('/issue/eng-9/any')}!`, `See [ENG-9](${page('/issue/eng-9/any')})!`],
    ] as const)
      expect(await stored(body)).toBe(shown)
    for (const body of [
      '@ada.okafor please',
      `\`${ada}\``,
      `[Ada](${ada})`,
      `<${ada}>`,
      `${ada}'s`,
      `x${ada}`,
      page('/profiles/nobody'),
      page('/profiles/leo.brandt'),
      page('/issue/ENG-99999'),
      'https://linear.app/another/profiles/ada.okafor',
    ])
      expect(await stored(body)).toBe(body)
  },
)

it('notifies and subscribes the people mentioned, once for each text', covers('texts/mention-notifications'), async () => {
  const { at, create, update, store, subscribers } = openForMutations()
  await create({ title: 'Mentions', description: `${ada}: look` })
  const issue = store.issues().find(({ title }) => title === 'Mentions')
  const id = String(issue?.['id'])
  await update(id, { description: `${ada}: look again, ${page('/profiles/robin.vance')}` })
  const about = () => store.notifications().filter(({ issueId }) => issueId === id)
  expect(about()).toMatchObject([{ type: 'issueMention', category: 'mentions', userId: user('Ada Okafor') }])
  expect(await subscribers(id)).toContainEqual({ name: 'Ada Okafor' })
  await at('commentCreate.success', 'mutation($input: CommentCreateInput!) { commentCreate(input: $input) { success } }', {
    input: { issueId: id, body: ada },
  })
  expect(
    about()
      .map(({ type }) => String(type))
      .sort(),
  ).toEqual(['issueCommentMention', 'issueMention'])
})
