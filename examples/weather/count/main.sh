# Counts the readings. Its messages are the events of intake, of which the end of an execution is a reading.
case "$MSG" in
*EXECUTION_COMPLETE*) ;;
*) exit 0 ;;
esac
seen=$(printf '%s' "$_svc_actor_state" | tr -cd '0-9')
next="{\"seen\": $((${seen:-0} + 1))}"
busybox wget -q -O - --header "Authorization: Bearer $_svc_access_token" --header 'Content-Type: application/json' \
  --post-data "$next" "$_svc_api_server/actors/v2/$_svc_actor_id/state" > /dev/null
echo "$next"
