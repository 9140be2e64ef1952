#!/bin/sh
# The operator's command, as the user of the service and with its settings: sudo lead-prequal leads list
set -a
. /etc/lead-prequal.env
cd /var/lib/lead-prequal || exit
exec setpriv --reuid=lead-prequal --regid=lead-prequal --init-groups -- \
  node /opt/lead-prequal/server/lead-prequal.cjs "$@"
