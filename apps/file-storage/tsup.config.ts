export { default } from '../../scripts/bundle.ts'
