#!/bin/sh
# Customer.io's Pipelines API against the emulator, with curl.
# It lists every event, so start the emulator with --seed empty.
set -eu
url=${PIPELINES_URL:-http://127.0.0.1:4012}
key=${PIPELINES_API_KEY:-pipelines-emulator}

curl --silent --show-error --fail "$url/v1/track" --user "$key:" --header 'content-type: application/json' \
  --data '{"userId": "ada", "event": "Order Completed", "properties": {"total": 42}}' > /dev/null

# The vendor does not tell what becomes of an event; the emulator does.
curl --silent --show-error --fail "$url/__emulator/events" |
  sed 's/.*"event":"\([^"]*\)".*"outcome":"\([^"]*\)".*/\1: \2/'
echo
