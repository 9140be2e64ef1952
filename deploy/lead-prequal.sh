#!/bin/sh
# The operator's command, as the user of the service and with its settings: sudo lead-prequal leads list
folder=/etc/lead-prequal
cd "$folder" 2>/dev/null || { echo "$folder is missing, or only root may enter it: sudo lead-prequal …" >&2; exit 1; }
export DATABASE_PATH=/var/lib/lead-prequal/data/leads.sqlite
exec setpriv --reuid=lead-prequal --regid=lead-prequal --init-groups -- \
  node /opt/lead-prequal/server/lead-prequal.cjs "$@"
