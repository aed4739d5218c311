#!/bin/sh
# In a network of its own (unshare -rn), where this machine is 192.168.1.10: makes a certificate by `certificate for-phones --own`, starts
# the server with its second listener, and asks it by curl and OpenSSL, which know only the root. Prints one line for each answer.
# $1: the program of onesixty. The environment has the settings of the data folder.
set -eu
ip link set lo up
ip link add lan type veth peer name far
ip link set lan up
ip link set far up
ip addr add 192.168.1.10/24 dev lan
export ONESIXTY_PORT=8160 ONESIXTY_PHONE_LISTEN=192.168.1.10:8443
root="$ONESIXTY_DATA/certificates/root.pem"
ask() { curl -s --max-time 10 --cacert "$root" -o /dev/null -w "$1 %{http_code} %{ssl_verify_result}\n" "https://192.168.1.10:8443$1" || echo "$1 curl failed: $?"; }

env -u ONESIXTY_PHONE_LISTEN $1 certificate for-phones --own --json > "$ONESIXTY_DATA/made.json"
$1 serve > "$ONESIXTY_DATA/server.log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null' EXIT
curl -s --retry 60 --retry-delay 1 --retry-connrefused -o /dev/null http://127.0.0.1:8160/readyz
ask /mobile/v1/device
ask /api/v1/balance
ask /healthz
ask /phone-ca.crt
curl -s --max-time 10 --cacert "$root" -D - -o "$ONESIXTY_DATA/got.crt" https://192.168.1.10:8443/phone-ca.crt | tr -d '\r' | grep -i '^content-type'
openssl x509 -inform der -in "$ONESIXTY_DATA/got.crt" | cmp - "$root" && echo 'the root, in DER'
ask /
curl -s -o /dev/null --max-time 10 https://192.168.1.10:8443/mobile/v1/device || echo "without the root curl $?"
echo | openssl s_client -connect 192.168.1.10:8443 -CAfile "$root" -verify_return_error -verify_ip 192.168.1.10 2>/dev/null | grep 'Verify return code' | head -1
$1 device connect android --shared --json | tr -d '\n ' | grep -o '"url":"[^"]*"\|"reach":{"ok":[a-z]*'
ONESIXTY_PHONE_LISTEN=192.168.1.10:8444 $1 doctor | grep phone_address || true
