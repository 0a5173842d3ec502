import { expect, test } from 'vitest'
import { report as agents } from './agents/report.ts'
import agentResults from './agents/results.json' with { type: 'json' }
import { report as backfill } from './backfill/report.ts'
import backfillResults from './backfill/results.json' with { type: 'json' }
import { page } from './bench.ts'
import { report as events } from './events/report.ts'
import eventResults from './events/results.json' with { type: 'json' }
import { report as growth } from './growth/report.ts'
import growthResults from './growth/results.json' with { type: 'json' }
import { report as peers } from './peers/report.ts'
import peerResults from './peers/results.json' with { type: 'json' }
import { report as people } from './people/report.ts'
import peopleResults from './people/results.json' with { type: 'json' }
import { report as replicas } from './replicas/report.ts'
import replicaResults from './replicas/results.json' with { type: 'json' }
import { report as start } from './start/report.ts'
import startResults from './start/results.json' with { type: 'json' }
import { report as uploads } from './uploads/report.ts'
import uploadResults from './uploads/results.json' with { type: 'json' }

const tables = {
  agents: agents(agentResults),
  backfill: backfill(backfillResults),
  events: events(eventResults),
  growth: growth(growthResults),
  peers: peers(peerResults),
  people: people(peopleResults),
  replicas: replicas(replicaResults),
  start: start(startResults),
  uploads: uploads(uploadResults),
}

test.for(Object.entries(tables))(
  'the tables of %s are those of its results: after a change of the report, run this with --update',
  async ([name, text]) => {
    await expect(page(name, text)).toMatchFileSnapshot(`./${name}/results.md`)
  },
)
