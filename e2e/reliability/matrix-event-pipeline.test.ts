import { testMatrix } from './matrix.ts'
import { pipelines } from '../../packages/testing/src/vendors/pipelines.ts'

testMatrix(pipelines)
