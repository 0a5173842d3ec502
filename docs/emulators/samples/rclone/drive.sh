#!/bin/sh
# rclone against the emulator of Google Drive. First: node proxy.mjs . 4021
set -eu
here=${PROXY_DIRECTORY:-.}
export HTTPS_PROXY="${PROXY_URL:-http://127.0.0.1:4021}"
# No configuration file: the token does not expire, so that rclone does not ask Google for another.
export RCLONE_CONFIG=/dev/null RCLONE_CA_CERT="$here/certificate.pem"
export RCLONE_CONFIG_EMULATOR_TYPE=drive RCLONE_CONFIG_EMULATOR_SCOPE=drive
export RCLONE_CONFIG_EMULATOR_TOKEN='{"access_token":"drive-emulator","token_type":"Bearer","expiry":"2099-01-01T00:00:00Z"}'

printf 'Rye and water' | rclone rcat emulator:recipes/Rye.txt
rclone lsf emulator:recipes | tr '\n' ':'
printf ' '
rclone cat emulator:recipes/Rye.txt
echo
