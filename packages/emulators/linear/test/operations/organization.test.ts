import { dig } from '@mcp-toolkits/emulator/testing'
import { expect, it } from 'vitest'
import { covers } from '../emulator.ts'
import { openUnlimited } from './emulator.ts'

it.for([
  ['name: " "', 'name should not be empty.'],
  ['logoUrl: "logo.png"', 'logoUrl must be a URL address.'],
  ['urlKey: "Not a key"', 'urlKey must consist of lower-case letters, digits and hyphens.'],
  ['pullRequestIssueMode: "always"', 'pullRequestIssueMode must be one of off, suggest, autoOnMerge.'],
  ['slackProjectChannelPrefix: "x-"', 'slackProjectChannelPrefix must be one of p-, proj-, project-.'],
  ['fiscalYearStartMonth: 12', 'fiscalYearStartMonth must be a whole number from 0 to 11.'],
  ['projectUpdateRemindersHour: 1.5', 'projectUpdateRemindersHour must be a whole number from 0 to 23.'],
  ['workingDays: [1, 7]', 'each value in workingDays must be a whole number from 0 to 6.'],
] as const)('a workspace with %s is refused', covers('organization/update'), async ([input, why]) => {
  const { ask } = openUnlimited()
  const { errors } = await ask(`mutation { organizationUpdate(input: { ${input} }) { success } }`)
  expect(dig(errors, '0.extensions.userPresentableMessage')).toBe(why)
})
