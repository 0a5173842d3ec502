import { idOf } from '../ids.ts'

/** The id of a person by name. */
export const userId = (name: string): string => idOf(`User ${name}`)

/** The id of a team by name. */
export const teamId = (name: string): string => idOf(`Team ${name}`)

/** The id of a state of a team. */
export const stateId = (key: string, name: string): string => idOf(`WorkflowState ${key} ${name}`)

/** The owner of the personal key. */
export const viewerId = userId('Robin Vance')

/** The first team. */
export const firstTeamId = teamId('Engineering')
