import Rudder from '@rudderstack/rudder-sdk-node'
import { Analytics as Cdp } from '@customerio/cdp-analytics-node'
import { Analytics as Segment } from '@segment/analytics-node'
import { PipelinesClient } from 'customerio-node'
console.log(typeof Rudder, Object.keys(Rudder), typeof Cdp, typeof Segment, typeof PipelinesClient)
