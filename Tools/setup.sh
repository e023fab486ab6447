#!/bin/sh
# Installs what meshpipe needs besides a Swift toolchain; does nothing when all is there.
#
#   Tools/setup.sh              the compiler's and the libraries' packages, for building
#   Tools/setup.sh checkers     also the programs that the tests check results with (.build/checkers)
#   Tools/setup.sh peers        also the programs that `make bench` compares with (.build/peers)
#   Tools/setup.sh site         only what `make site` builds the documentation with (.build/site-venv)
#
# The lists are kept in step with Package.swift by Tests/HouseTests/PackageListTests.swift.
set -eu
cd "$(dirname "$0")/.."

# g++ brings the C++ library and the linker that Swift needs on Linux.
apt_packages="g++ git libapriltag-dev libarchive-dev libassimp-dev libavformat-dev libdraco-dev libeigen3-dev libembree-dev libexpat1-dev libjs-three liblz4-dev libpng-dev libswscale-dev libturbojpeg0-dev nettle-dev pkg-config"
brew_packages="apriltag assimp draco eigen embree expat ffmpeg jpeg-turbo libarchive libpng lz4 nettle pkgconf"

# What an unpacked toolchain itself needs to start (https://www.swift.org/install/linux).
apt_toolchain="libcurl4 libedit2 libncurses6 libsqlite3-0 libxml2 tzdata"

# Python for the checkers with the shared libraries that Blender's module opens, and the programs
# that tests run.
apt_checkers="admesh assimp-utils bubblewrap ca-certificates chromium colmap fish gltfpack inkscape libcurl4 libheif1 libhpdf-dev libmeshoptimizer2d libproj25 librecad libtiff6 libwebp7 munge ninja-build openssl parallel poppler-utils prusa-slicer python3-venv slurm-wlm strace zsh zstd
  libegl1 libgl1 libgomp1 libice6 libsm6 libx11-6 libxext6 libxfixes3 libxi6 libxkbcommon0
  libxrender1 libxxf86vm1"
brew_checkers="curl gltfpack libharu libheif libtiff meshoptimizer ninja poppler proj python@3.11 webp"

apt_peers="assimp-utils ca-certificates gltfpack libmeshoptimizer-dev python3-venv valgrind
  libegl1 libgl1 libgomp1 libice6 libsm6 libx11-6 libxext6 libxfixes3 libxi6 libxkbcommon0
  libxrender1 libxxf86vm1"
brew_peers="gltfpack meshoptimizer python@3.11"

say() { printf 'setup: %s\n' "$*" >&2; }
fail() { say "$*"; exit 69; }

# The words of a list for which a command fails.
missing() {
  check=$1
  shift
  for package; do
    $check "$package" >/dev/null 2>&1 || printf '%s ' "$package"
  done
}

# By the name of the package, or one that it provides: Debian 13 has libcurl4 as libcurl4t64.
has_apt() {
  dpkg-query -W -f='${db:Status-Status} ${Package} ${Provides}\n' |
    sed -n 's/^installed //p' | tr -s ' ,()' '\n' | grep -Fqx -- "$1"
}
has_brew() { brew list --versions "$1"; }

# as_root LINE: runs a line of the shell as root, and tells it to a user who can't.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    sh -c "$1"
  elif command -v sudo >/dev/null && sudo sh -c "$1"; then
    return 0
  else
    say "this could not be done as root from here; let somebody who may run this line once:"
    printf '\n  sudo sh -c "%s"\n\n' "$1" >&2
    return 1
  fi
}

# install_packages APT BREW: installs what is missing of the list of this system, in one go.
install_packages() {
  if command -v apt-get >/dev/null; then
    absent=$(missing has_apt $1)
    [ -n "$absent" ] || return 0
    say "installing $absent"
    # Old lists of packages may do as well.
    as_root "apt-get update -qq; \
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $absent >/dev/null"
  elif command -v brew >/dev/null; then
    absent=$(missing has_brew $2)
    [ -n "$absent" ] || return 0
    say "installing $absent"
    brew install $absent
  else
    say "neither apt-get nor brew here; make sure that these are installed: $1"
  fi
}

# install_python LIST FOLDER: an environment in FOLDER with the packages of LIST.
install_python() {
  cmp -s "$1" "$2/installed.txt" && return 0
  python=$(command -v python3.11 || command -v python3) || return 1
  say "installing what $1 names into $2"
  [ -x "$2/bin/python" ] || "$python" -m venv "$2" || return 1
  "$2/bin/python" -m pip install --quiet --disable-pip-version-check -r "$1" || return 1
  cp "$1" "$2/installed.txt"
}

install_checkers() {
  [ -z "${MESHPIPE_CHECKERS:-}" ] || return 0 # the user's own
  # Debian 12 has it in libheif itself.
  encoder=libheif-plugin-aomenc
  apt-cache show "$encoder" >/dev/null 2>&1 && apt_checkers="$apt_checkers $encoder"
  install_packages "$apt_checkers" "$brew_checkers" || say "tests that need these will be skipped"
  install_python Tools/checkers.txt .build/checkers
}

install_peers() {
  install_packages "$apt_peers" "$brew_peers"
  install_python Benchmarks/peers.txt .build/peers
}

# The site is made without a toolchain.
if [ "${1:-}" = site ]; then
  python3 -c 'import venv, ensurepip' 2>/dev/null || install_packages "ca-certificates python3-venv" "python@3.11"
  install_python Tools/site.txt .build/site-venv || fail "MkDocs could not be installed"
  exit 0
fi

toolchain_starts() { swift --version && swift build --version; } >/dev/null 2>&1

command -v swift >/dev/null ||
  fail "no 'swift' on the PATH; Swift 6.2 or later is needed: https://www.swift.org/install"

needed=$apt_packages
toolchain_starts || needed="$apt_toolchain $needed"
install_packages "$needed" "$brew_packages" || fail "what the build needs is not installed"
toolchain_starts || fail "'swift' does not start: $(swift build --version 2>&1 | head -n 1)"
if [ "${1:-}" = checkers ] && ! install_checkers; then
  [ "${MESHPIPE_REQUIRE_CHECKERS:-}" != 1 ] || fail "the checkers could not be installed"
  say "the checkers could not be installed; tests that need them will be skipped"
fi
if [ "${1:-}" = peers ] && ! install_peers; then
  say "not all peers could be installed; those that are missing are left out"
fi
