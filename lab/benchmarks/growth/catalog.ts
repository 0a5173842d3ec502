// Every series, in the order of the page.
import { concurrencySeries } from './concurrency.ts'
import { dataSeries } from './data.ts'
import { eventSeries } from './events.ts'
import { fileSeries } from './files.ts'
import type { Series } from './series.ts'

export const allSeries: readonly Series[] = [...eventSeries, ...fileSeries, ...concurrencySeries, ...dataSeries]
