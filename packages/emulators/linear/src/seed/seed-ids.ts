import { idOf } from '../ids.ts'

/** A person's id, by name. */
export const userId = (name: string): string => idOf(`User ${name}`)

/** A team's id, by name. */
export const teamId = (name: string): string => idOf(`Team ${name}`)

/** The id of a team's state. */
export const stateId = (key: string, name: string): string => idOf(`WorkflowState ${key} ${name}`)

/** The owner of the personal key. */
export const viewerId = userId('Robin Vance')

/** The first team. */
export const firstTeamId = teamId('Engineering')
