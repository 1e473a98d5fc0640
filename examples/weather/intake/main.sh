# Takes a reading like {"temperature": 21} and refuses anything else.
value=$(printf '%s' "${MSG:-}" | tr -cd '0-9.-')
if [ -z "$value" ]; then
  echo "no reading: send {\"temperature\": 21}" >&2
  exit 2
fi
echo "reading $value"
