import type { Task } from '../task.ts'
import { both } from './both.ts'
import { driveMany } from './drive-many.ts'
import { driveOne } from './drive-one.ts'
import { eventsMany } from './events-many.ts'
import { eventsOne } from './events-one.ts'
import { linearMany } from './linear-many.ts'
import { linearOne } from './linear-one.ts'

export const tasks: readonly Task[] = [...linearOne, ...linearMany, ...driveOne, ...driveMany, ...eventsOne, ...eventsMany, ...both]
