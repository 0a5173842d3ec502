import * as fc from 'fast-check'
import { runs } from '../../testing/src/runs.ts'

// For properties that name no number of cases. fast-check's default is 100.
fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: runs(100) })
