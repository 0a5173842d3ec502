import { openCompany, peopleOf } from '../../packages/testing/src/company/company.ts'
import { connectEveryone } from '../../packages/testing/src/company/connecting.ts'
import { tracking } from '../../packages/testing/src/company/work.ts'
import { send } from '../../packages/testing/src/cluster/client.ts'
import type { Rehearsal } from './drill.ts'

const vault = { MCP_TOOLKITS_VAULT_KEYS: `drill:${Buffer.alloc(32, 7).toString('base64')}` }

/** One of two people who use the server leaves the company. */
export const leavingPerson: Rehearsal = {
  title: 'A person leaves',
  async run({ postgres, step, see, operate }) {
    const people = peopleOf(2)
    const store = `${postgres.pooledUrl}?schema=drill_people`
    await using company = await openCompany({ ...tracking, people, store, environment: vault })
    const [leaving, staying] = people
    if (!leaving || !staying) throw new Error('There are two people.')
    const environment = { ...vault, MCP_TOOLKITS_STORE: store }
    step('Both connect their accounts and call, each on every replica.')
    await connectEveryone(company, tracking.whoAmI)
    const kindsOf = async (person: typeof leaving) => {
      const outcomes = []
      for (let turn = 0; turn < 6; turn += 1) outcomes.push(await send(company.url, { ...tracking.whoAmI, token: company.tokenOf(person) }))
      return outcomes.map((outcome) => (outcome.kind === 'error' ? outcome.code : outcome.kind))
    }
    see(
      'both work',
      [...(await kindsOf(leaving)), ...(await kindsOf(staying))].every((kind) => kind === 'result'),
    )
    step(`people forget ${leaving.subject}`)
    const { code, text } = await operate('issue-tracker', ['people', 'forget', leaving.subject], environment)
    see(`it revoked and deleted: ${text.trim().split('\n').join(' ')}`, code === 0)
    const after = await kindsOf(leaving)
    see(
      `on every replica the next call of the person finds no account: ${[...new Set(after)].join(', ')}`,
      after.every((kind) => kind === 'unauthenticated'),
    )
    see(
      'the colleague works on',
      (await kindsOf(staying)).every((kind) => kind === 'result'),
    )
    const list = await operate('issue-tracker', ['people', 'list'], environment)
    see('people list names the colleague alone', list.text.includes(staying.subject) && !list.text.includes(leaving.subject))
  },
}
