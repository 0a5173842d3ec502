import { assumed, documented, type Rules } from '@mcp-toolkits/emulator'

const webhooks = 'https://linear.app/developers/webhooks'

/** What the emulator does beyond the servers' operations. */
export const wholeRules = {
  'webhooks/body': documented(
    webhooks,
    'A body has action, type, data, createdAt, url, updatedFrom, webhookTimestamp, webhookId and organizationId.',
  ),
  'webhooks/signature': documented(
    webhooks,
    'Linear-Signature is the HMAC-SHA256 of the body with the secret, in hex; Linear-Delivery and Linear-Event are sent, too.',
  ),
  'webhooks/of-team': documented(webhooks, 'A webhook is for one team or for all public ones.'),
  'webhooks/retries': documented(webhooks, 'A delivery that is not answered with 200 is retried after a minute, an hour and six hours.'),
  'webhooks/timeout': documented(webhooks, 'A receiver has five seconds to answer.'),
  'webhooks/disabled': assumed('A webhook is disabled when the last retry fails.', 'documented as possible'),
  'webhooks/loopback-only': assumed('Deliveries go to this machine unless another host is allowed.', 'the vendor refuses this machine'),
  'webhooks/admins': documented(webhooks, 'Only admins of the workspace manage webhooks.'),
  'webhooks/fields': assumed('A webhook without a known resource type, without a team or with another protocol than HTTP is refused.'),
} as const satisfies Rules
