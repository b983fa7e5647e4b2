# What scripts/serve-ollama and scripts/serve-vllm share: their flags, the
# servers' life, and fara doctor at the end. Sourced by them, which set
#   program      the server's name on the command line
#   api, path    how fara speaks to it, and where below its address
#   health       the path that answers once it is ready
#   default_port, default_limit
# and declare
#   serve_words PORT   puts the command into the array words, as for env
#   how_to_get         says where the program comes from
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by the scripts that source this

say() { printf '%s\n' "$*" >&2; }

wrong() {
  say "$0: $*; --help lists the flags"
  exit 2
}

# The flags' values.
model='' dialect=auto port='' gpus=() images=3 context='' limit='' mode=serve host=127.0.0.1 extra=()

usage() {
  cat <<TEXT
Usage: $0 [flags] [-- more flags of $program]

Starts $program with what fara needs, looks at it with fara doctor, and serves
until Ctrl-C, which leaves nothing behind.

  --model NAME      the model$model_note
  --dialect NAME    how the model speaks, for its needs and for fara doctor (default: by the model's name)
  --port N          the first server's port (default: $default_port)
  --gpus 0,1        one server for each of these GPUs, on ports that follow each other (default: one for all)
  --max-images N    pictures in one request (default: 3)
  --context N       the context in tokens (default: what the dialect's pictures take, at least 16384)
  --host ADDRESS    where it listens (default: 127.0.0.1, which only this machine reaches)
  --wait SECONDS    how long it may take to be ready (default: $default_limit)
  --print           only print the command lines
  --check           end after fara doctor, with its exit code
TEXT
}

# number FLAG VALUE LEAST MOST
number() {
  [[ $2 =~ ^[0-9]{1,9}$ ]] && ((10#$2 >= $3 && 10#$2 <= $4)) || wrong "$1 $2 is no number from $3 to $4"
}

read_flags() {
  while (($#)); do
    local flag=$1 value=''
    case $flag in
      --print) mode=print && shift && continue ;;
      --check) mode=check && shift && continue ;;
      -h | --help) usage && exit 0 ;;
      --) shift && extra=("$@") && break ;;
      --*=*) value=${flag#*=} flag=${flag%%=*} && shift ;;
      --*)
        (($# > 1)) || wrong "$flag needs a value"
        value=$2 && shift 2
        ;;
      *) wrong "$flag is no flag" ;;
    esac
    case $flag in
      --model) model=$value ;;
      --dialect) dialect=$value ;;
      --port) number "$flag" "$value" 1 65535 && port=$value ;;
      --gpus) read_gpus "$value" ;;
      --max-images) number "$flag" "$value" 1 100 && images=$value ;;
      --context) number "$flag" "$value" 2048 10000000 && context=$value ;;
      --host) host=$value ;;
      --wait) number "$flag" "$value" 1 86400 && limit=$value ;;
      *) wrong "there is no flag $flag" ;;
    esac
    [[ -n $value ]] || wrong "$flag needs a value"
  done
  port=${port:-$default_port} limit=${limit:-$default_limit} context=${context:-$(needed_context)}
  ((${#gpus[@]})) || gpus=('')
  ((port + ${#gpus[@]} - 1 <= 65535)) || wrong "--port $port leaves no ports for ${#gpus[@]} servers"
}

read_gpus() {
  [[ $1 =~ ^[0-9]+(,[0-9]+)*$ ]] || wrong "--gpus $1 is no list such as 0,1"
  IFS=, read -ra gpus <<<"$1"
  [[ -z $(printf '%s\n' "${gpus[@]}" | sort | uniq -d) ]] || wrong "--gpus $1 names a GPU twice"
}

# needed_context is what a run sends at most: the prompt, the pictures, some history
# and a reply. A picture has one token for each square of 32 or of 28 pixels.
needed_context() {
  local picture=1634
  case $dialect in
    fara-1.5 | qwen3-vl) picture=1262 ;;
  esac
  local need=$(((images * picture + 10000 + 1023) / 1024 * 1024))
  echo $((need > 16384 ? need : 16384))
}

# shown WORD... writes words as they can be pasted into a shell. The name of a
# variable before = is not quoted: it would be a command's.
shown() {
  local word name line=()
  for word in "$@"; do
    name=''
    [[ ! $word =~ ^[A-Z_]+= ]] || { name=${word%%=*}= && word=${word#*=}; }
    [[ $word =~ ^[A-Za-z0-9_./:=,@%+-]*$ && -n $name$word ]] || word=${word@Q}
    line+=("$name$word")
  done
  printf '%s\n' "${line[*]}"
}

# server_words N puts the command of the N-th server, counted from 0, into words.
server_words() {
  words=()
  serve_words $((port + $1))
  local gpu=${gpus[$1]}
  [[ -z $gpu ]] || words=(CUDA_DEVICE_ORDER=PCI_BUS_ID "CUDA_VISIBLE_DEVICES=$gpu" "${words[@]}")
}

# address N is where fara reaches the N-th server.
address() {
  local name=$host
  case $host in
    0.0.0.0) name=127.0.0.1 ;;
    ::) name='[::1]' ;;
    *:*) name="[$host]" ;;
  esac
  echo "http://$name:$((port + $1))$path"
}

# doctor_words N puts the call of fara doctor for the N-th server into words.
doctor_words() {
  words=(doctor --endpoint "$(address "$1")" --api "$api" --dialect "$dialect" --max-images "$images" --num-ctx "$context")
  [[ -z $model ]] || words+=(--model "$model")
}

print_all() {
  local n
  for n in "${!gpus[@]}"; do server_words "$n" && shown "${words[@]}"; done
  for n in "${!gpus[@]}"; do doctor_words "$n" && shown fara "${words[@]}"; done
}

# find_fara puts the path of fara into fara: FARA_BIN, or the one that is built
# here, or any.
find_fara() {
  local root
  root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
  fara=${FARA_BIN:-$root/bin/fara}
  [[ -x $fara ]] && return
  fara=$(command -v fara) && return
  command -v go >/dev/null || { say "fara is not built and there is no Go to build it; install Go from https://go.dev/dl" && exit 5; }
  fara=$root/bin/fara
  (cd "$root" && go build -o bin/fara ./cmd/fara) || exit 5
}

# answers N tells whether the N-th server says that it is ready.
answers() {
  local at
  at=$(address "$1") && at=${at#http://} && at=${at%"$path"}
  local name=${at%:*} status
  name=${name#[} && name=${name%]}
  status=$(timeout 5 bash -c 'exec 3<>"/dev/tcp/$1/$2" && printf "GET %s HTTP/1.0\r\nHost: %s:%s\r\n\r\n" "$3" "$1" "$2" >&3 && head -n 1 <&3' \
    _ "$name" "${at##*:}" "$health" 2>/dev/null) || return 1
  [[ $status == HTTP/*' 200'* ]]
}

pids=() looking='' logs=''

# start_all starts every server in a process group of its own, so that all of its
# processes can be ended together.
start_all() {
  logs=$(mktemp -d)
  trap stop_all EXIT
  trap 'say "ending"; exit 130' INT TERM HUP
  set -m
  local n
  for n in "${!gpus[@]}"; do
    answers "$n" && { say "something answers at $(address "$n") already; end it, or give another --port" && exit 5; }
    server_words "$n"
    say "$(shown "${words[@]}")"
    env "${words[@]}" >"$logs/$n.log" 2>&1 </dev/null &
    pids[n]=$!
  done
  set +m
}

# alive PID tells whether a process of the group lives.
alive() { kill -0 -- "-$1" 2>/dev/null; }

pause() { sleep "$1" & wait $! || true; }

stop_all() {
  trap '' INT TERM HUP
  local pid tries
  [[ -z $looking ]] || { kill -TERM "$looking" 2>/dev/null && wait "$looking"; } || true
  for pid in "${pids[@]}"; do kill -TERM -- "-$pid" 2>/dev/null || true; done
  for pid in "${pids[@]}"; do
    for ((tries = 0; tries < 100; tries++)); do
      alive "$pid" || break
      sleep 0.1
    done
    kill -KILL -- "-$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  [[ -z $logs ]] || rm -rf "$logs"
}

# ended N says that a server is gone, and what it said last.
ended() {
  say "$program at $(address "$1") has ended; the end of its log:"
  tail -n 20 "$logs/$1.log" >&2
  exit 5
}

await() {
  local started=$SECONDS
  until answers "$1"; do
    alive "${pids[$1]}" || ended "$1"
    if ((SECONDS - started >= limit)); then
      say "$program at $(address "$1") was not ready within $limit seconds; give it more with --wait; the end of its log:"
      tail -n 20 "$logs/$1.log" >&2
      exit 5
    fi
    pause 0.5
  done
  # Another server may have been quicker to take the port.
  alive "${pids[$1]}" || ended "$1"
}

# examine looks at every server; the first no gives the code.
examine() {
  local n code=0 one
  for n in "${!gpus[@]}"; do
    doctor_words "$n"
    say "$(shown fara "${words[@]}")"
    # In the background, so that a signal does not wait for it.
    "$fara" "${words[@]}" &
    looking=$! one=0
    wait "$looking" || one=$?
    looking=''
    ((one != 130)) || exit 130
    ((code)) || code=$one
  done
  return "$code"
}

watch_all() {
  local n at=()
  for n in "${!gpus[@]}"; do at+=(--endpoint "$(address "$n")"); done
  say "serving; logs in $logs; Ctrl-C ends it. In another terminal: fara run \"…\" ${at[*]}${model:+ --model $(shown "$model")}"
  while :; do
    for n in "${!gpus[@]}"; do alive "${pids[$n]}" || ended "$n"; done
    pause 2
  done
}

main() {
  read_flags "$@"
  check_flags
  [[ $mode != print ]] || { print_all && exit 0; }
  command -v "$binary" >/dev/null || { say "$binary is not here; $(how_to_get)" && exit 5; }
  find_fara
  if [[ $dialect != auto ]]; then
    "$fara" prompt --dialect "$dialect" >/dev/null || exit 2
  fi
  start_all
  local n code=0
  for n in "${!gpus[@]}"; do await "$n"; done
  examine || code=$?
  [[ $mode != check ]] || exit "$code"
  ((code == 0)) || say "fara doctor says no; what it names can be mended while the server runs"
  watch_all
}
