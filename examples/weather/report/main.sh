# Tells how many readings came, every morning and when it is asked.
state=$(busybox wget -q -O - --header "Authorization: Bearer $_svc_access_token" \
  "$_svc_api_server/actors/v2/weather-counter/state" | busybox sed 's/.*"seen": *\([0-9]*\).*/\1/')
echo "station $(printf '%s' "$_actor_configs" | busybox sed 's/.*"name": *"\([^"]*\)".*/\1/'): $state readings, $UNITS"
