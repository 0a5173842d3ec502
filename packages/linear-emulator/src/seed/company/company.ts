import type { LinearSeed } from '../schema.ts'
import { design } from './design.ts'
import { betaWork } from './engineering-beta.ts'
import { billingWork } from './engineering-billing.ts'
import { launchWork } from './engineering.ts'
import { laterWork } from './engineering-later.ts'
import { notifications } from './notifications.ts'
import { operations } from './operations.ts'
import { labels, teams, users } from './people.ts'
import { cycles, initiatives, projects } from './plans.ts'

/** Lodestar plans routes for mountain guides, and launches Trails, maps that a team shares, in three weeks. */
export const company: LinearSeed = {
  organization: 'Lodestar',
  viewer: 'Robin Vance',
  users,
  teams,
  labels,
  cycles,
  projects,
  initiatives,
  issues: [...betaWork, ...launchWork, ...billingWork, ...laterWork, ...operations, ...design],
  notifications,
}
