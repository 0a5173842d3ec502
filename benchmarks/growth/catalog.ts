// Every series, in the order of the page.
import { eventSeries } from './events.ts'
import type { Series } from './series.ts'

export const allSeries: readonly Series[] = [...eventSeries]
