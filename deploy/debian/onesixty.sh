#!/bin/sh
# Runs a command of onesixty. root runs it as the user of the service, with its settings and in its data folder; anyone else as themselves.
set -eu
program=/usr/lib/onesixty/onesixty
if [ "$(id -u)" -ne 0 ]; then
  unset NODE_OPTIONS
  if [ -z "${ONESIXTY_DATA:-}" ] && [ -d /var/lib/onesixty ]; then
    echo "onesixty: this is not the service of this machine, but ./data. For the service, type: sudo onesixty $*" >&2
  fi
  export ONESIXTY_COMMAND="${ONESIXTY_COMMAND:-onesixty}"
  exec "$program" "$@"
fi

# The same lines as systemd reads (systemd.exec(5), EnvironmentFile): never run as a script.
settings=/etc/onesixty/onesixty.env
if [ -e "$settings" ]; then
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in '' | '#'* | ';'*) continue ;; *=*) ;; *) continue ;; esac
    name=${line%%=*} value=${line#*=}
    case $name in '' | [0-9]* | *[!A-Za-z0-9_]*) continue ;; esac
    case $value in
      \"*\") value=${value#\"} value=${value%\"} ;;
      \'*\') value=${value#\'} value=${value%\'} ;;
    esac
    export "$name=$value"
  done <"$settings"
fi
# As the unit does: options of Node.js in the settings would apply to commands alone.
unset NODE_OPTIONS
export ONESIXTY_DATA="${ONESIXTY_DATA:-/var/lib/onesixty}" ONESIXTY_COMMAND='sudo onesixty' HOME=/var/lib/onesixty
cd /var/lib/onesixty
exec setpriv --reuid=onesixty --regid=onesixty --clear-groups -- "$program" "$@"
