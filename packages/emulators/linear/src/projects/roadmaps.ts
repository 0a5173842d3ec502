import { entity } from '../engine/crud.ts'
import { ordered } from '../engine/hooks.ts'

export const roadmaps = entity('Roadmap')

/** Links from roadmaps to projects. */
export const roadmapLinks = entity('RoadmapToProject', ordered)
