# actorctl exec --project examples/weather -- sh examples/weather/tests/test.sh
set -eu
actorctl run weather-intake -m '{"temperature": 21}' --settle --quiet
test "$(actorctl state get weather-count --jq .seen)" = 1
actorctl run weather-report -m now --quiet | grep -q 'station north: 1 readings, metric'
echo 'passed'
