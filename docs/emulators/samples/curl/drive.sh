#!/bin/sh
# Google's Drive API against the emulator, with curl.
set -eu
url=${DRIVE_URL:-http://127.0.0.1:4011}
token=${DRIVE_TOKEN:-drive-emulator}

send() {
  curl --silent --show-error --fail --oauth2-bearer "$token" "$@"
}

file=$(send "$url/upload/drive/v3/files?uploadType=media&fields=id" --header 'content-type: text/plain' --data 'Rye and water' |
  sed -n 's/.*"id": *"\([^"]*\)".*/\1/p')
send --request PATCH "$url/drive/v3/files/$file" --header 'content-type: application/json' --data '{"name": "Rye.txt"}' > /dev/null
printf '%s: ' "$(send "$url/drive/v3/files/$file?fields=name" | sed -n 's/.*"name": *"\([^"]*\)".*/\1/p')"
send "$url/drive/v3/files/$file?alt=media"
echo
