import * as fc from 'fast-check'
import { runs } from '../../testing/src/runs.ts'

// Applies to properties that set no number of cases themselves. fast-check's default is 100.
fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: runs(100) })
