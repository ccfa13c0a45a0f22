# What the set-up scripts share. To be sourced; afterwards the working directory is the root of the
# repository. Progress goes to stderr, so that a script may print its result (a path) on stdout.

cd "$(dirname "${BASH_SOURCE[0]}")/../.."

say() { printf -- '--- %s\n' "$*" >&2; }

give_up() {
    local line
    for line in "$@"; do [ -z "$line" ] || printf 'error: %s\n' "$line" >&2; done
    exit 1
}

# Installs Debian packages, or says why that is impossible and what to do instead: apt_install "what
# for" package...
apt_install() {
    local purpose=$1
    shift
    command -v apt-get >/dev/null ||
        give_up "$purpose is missing, and this is no Debian on which these packages could be installed: $*" "${HINT:-}"
    local as_root=()
    if [ "$(id -u)" != 0 ]; then
        sudo -n true 2>/dev/null || give_up "$purpose is missing; run: sudo apt-get install $*" "${HINT:-}"
        as_root=(sudo -n)
    fi
    say "installing $* ($purpose)"
    # An old index names packages that are gone; a mirror that cannot be reached may still be served
    # from the cache.
    "${as_root[@]}" apt-get -o DPkg::Lock::Timeout=600 -q update >&2 || say "the package index could not be updated"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get -o DPkg::Lock::Timeout=600 -q -y --no-install-recommends install "$@" >&2 ||
        give_up "$purpose is missing, and apt-get could not install: $*" "${HINT:-}"
}
