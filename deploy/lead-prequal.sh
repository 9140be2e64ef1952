#!/bin/sh
# The operator's command, as the user of the service and with its settings: sudo lead-prequal leads list
settings=/etc/lead-prequal.env
[ -r "$settings" ] || { echo "$settings is missing, or only root can read it: sudo lead-prequal …" >&2; exit 1; }
quoting="In $settings, a value with other signs than letters, digits and - _ . , : / @ = + % stands between '…', such as SMTP_FROM='Leads <leads@example.com>'"
# systemd reads such values without quotes, too. The shell does not: it ends here, or would run a part of the value.
trap 'echo "$quoting" >&2' EXIT
set -ae
. "$settings"
trap - EXIT
cd /var/lib/lead-prequal
exec setpriv --reuid=lead-prequal --regid=lead-prequal --init-groups -- \
  node /opt/lead-prequal/server/lead-prequal.cjs "$@"
