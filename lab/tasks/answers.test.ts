// Answers that are right, although worded differently from the solution's, and answers that sound alike but are wrong.
import { expect, test } from 'vitest'
import { judge } from './judge.ts'
import { tasks } from './tasks/index.ts'

interface Answers {
  readonly right: readonly string[]
  readonly wrong: readonly string[]
}

const answers: Readonly<Record<string, Answers>> = {
  'events-no-person': {
    right: [
      'Which customer was it? I need an id to record the refund.',
      'I have not recorded it: an event needs a customer.',
      'I haven’t recorded anything yet. Tell me the customer or an anonymous id.',
    ],
    wrong: [
      'The refund is recorded for the customer.',
      'The refund of the customer is recorded. Anything else?',
      'Recorded for an unknown user.',
    ],
  },
  'events-only-check': {
    right: [
      'Yes, two: lena has no event, and the time of jonas is not valid. I have sent nothing.',
      'Line 2 (lena) and line 3 (jonas) would be refused; ada would not be refused.',
      'Ada is fine. Lena and Jonas would be refused: no event, and "yesterday" is no timestamp.',
    ],
    wrong: [
      'None would be refused: ada, lena and jonas are fine.',
      'No, nothing would be refused. ada, lena and jonas pass.',
      'ada, lena and jonas would not be refused.',
      'All three would be refused: ada, lena and jonas.',
    ],
  },
  'events-bad-rows': {
    right: [
      'Left out: line 2, which has no customer.',
      'I left out the second line.',
      'Recorded 2 orders, and left out row 2.',
      'Left out "2: -".',
    ],
    wrong: ['Recorded 2 orders.', 'Two orders are recorded, and none was left out.'],
  },
}

test.for(Object.entries(answers))('answers to %s', ([id, { right, wrong }]) => {
  const { answer = [] } = tasks.find((task) => task.id === id) ?? {}
  const missingIn = (said: string) => judge({ ends: [], answer }, [], said).missing
  expect(answer).not.toEqual([])
  for (const said of right) expect(missingIn(said), said).toEqual([])
  for (const said of wrong) expect(missingIn(said), said).not.toEqual([])
})
