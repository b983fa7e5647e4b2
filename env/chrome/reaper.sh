# Removes a temporary profile after its owner was killed. $1 is its folder; stdin
# names the browser's process in each line, "done" when nothing is to be done, and
# ends with the owner.
trap '' INT TERM HUP QUIT
pid=
while IFS= read -r line; do
	[ "$line" = done ] && exit 0
	pid=$line
done
case "$1" in
*/../* | */./* | *//*) exit 1 ;;
/*/fara-profile-*) ;;
*) exit 1 ;;
esac
case "${1##*/}" in
fara-profile-?*) ;;
*) exit 1 ;;
esac
[ ! -L "$1" ] && [ -f "$1/owner.lock" ] || exit 1
n=0
while [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null && [ $n -lt 30 ]; do
	sleep 0.1
	n=$((n + 1))
done
socket=$(readlink "$1/SingletonSocket")
case "$socket" in
/*/SingletonSocket)
	rm -f -- "$socket" "${socket%/*}/SingletonCookie"
	rmdir -- "${socket%/*}"
	;;
esac
n=0
while [ -d "$1" ] && [ $n -lt 30 ]; do
	rm -rf -- "$1"
	sleep 0.1
	n=$((n + 1))
done
