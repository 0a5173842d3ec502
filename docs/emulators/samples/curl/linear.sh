#!/bin/sh
# Linear's API against the emulator, with curl.
set -eu
url=${LINEAR_URL:-http://127.0.0.1:4010}
key=${LINEAR_API_KEY:-lin_api_emulator}

send() {
  curl --silent --show-error --fail "$url/graphql" --header "authorization: $key" --header 'content-type: application/json' --data "$1"
}

team=$(send '{"query": "{ teams(first: 1) { nodes { id } } }"}' | sed 's/.*"id":"\([^"]*\)".*/\1/')
send "{\"query\": \"mutation { issueCreate(input: { teamId: \\\"$team\\\", title: \\\"Bake rye\\\", priority: 2 }) { success } }\"}" > /dev/null
send '{"query": "{ issues(filter: { title: { eq: \"Bake rye\" } }) { nodes { title priorityLabel } } }"}' |
  sed 's/.*"title":"\([^"]*\)","priorityLabel":"\([^"]*\)".*/\1: \2/'
echo
