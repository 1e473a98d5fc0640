# Counts lines, words and characters of its message, and names the ten most frequent words.
# The message is text in $MSG, or a file when it is long ($MSG_FILE) or binary ($_svc_binary_data_FILE). On a swarm, one
# of more than 500 KB is fetched instead ($MSG_URL, $_svc_binary_data_URL).
set -eu
LC_ALL=C
export LC_ALL

# A file at a URL can be fetched once.
url="${MSG_URL:-${_svc_binary_data_URL:-}}"
if [ -n "$url" ]; then
  MSG_FILE=./message-of-this-run
  wget -q -O "$MSG_FILE" "$url"
fi

message() {
  if [ -n "${_svc_binary_data_FILE:-}" ]; then cat "$_svc_binary_data_FILE"
  elif [ -n "${MSG_FILE:-}" ]; then cat "$MSG_FILE"
  else printf '%s' "${MSG:-}"
  fi
}

if [ -z "${_svc_binary_data_FILE:-}${MSG_FILE:-}${MSG:-}" ]; then
  echo "no message: send me a text, for example: actorctl run wordcount -m 'to be or not to be'" >&2
  exit 2
fi

set -- $(message | wc)
echo "lines      $1"
echo "words      $2"
echo "characters $3"
echo "most frequent words:"
message | tr -cs 'A-Za-z' '\n' | tr 'A-Z' 'a-z' | grep -v '^$' | sort | uniq -c | sort -k1,1nr -k2,2 | head -n 10 |
  while read -r count word; do echo "  $count $word"; done
